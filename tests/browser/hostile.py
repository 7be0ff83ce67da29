"""A table whose columns are called what would harm a page that took names for HTML, or has no room for them."""

HOSTILE = ["<script>window.__hacked=1</script>", "</script><img src=x onerror=window.__hacked=1>", "{{data}}", "a&amp;b", "x" * 200]


def write_hostile_table(path):
    rows = [HOSTILE + ["y"]]
    for i in range(40):
        values = [((i * (k + 3) * 7919) % 101) / 101 for k in range(len(HOSTILE))]
        rows.append([f"{v:.4f}" for v in values] + [f"{sum(values) + (i % 7) / 10:.4f}"])
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in row) for row in rows) + "\n")
