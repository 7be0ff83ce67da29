"""A run in the background: look at it, stop it when it has enough, keep what was drawn."""

import time

import quasar

job = quasar.start("funnel", draws=1_000_000, thin=100, target_accept=0.95, seed=1)
while min(chain.iterations for chain in job.progress) < 20_000:
    time.sleep(0.1)
    print("  ".join(f"{chain.iterations:7d}/{chain.total}" for chain in job.progress))
job.stop()
run = job.result()
print(f"{run.draws} draws of each chain, {run.info['divergences']} divergences")
