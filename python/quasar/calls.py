"""How `start` and `sample` are called, sampler by sampler. Written by scripts/generate_python_parameters.py."""

from typing import Literal, Protocol, Unpack, overload

from quasar.job import Job
from quasar.parameters import (
    AlsSettings,
    DhamcmcSettings,
    DpsgldSettings,
    DsghmcSettings,
    DsgldSettings,
    GibbsSettings,
    HamcmcSettings,
    HmcBfgsSettings,
    HmcEmSettings,
    HmcSettings,
    IhmmBeamSettings,
    MalaSettings,
    NhHmcSettings,
    NpHmcSettings,
    NutsSettings,
    PsgldSettings,
    QnhmcNaiveSettings,
    QnhmcSettings,
    QnLangevinNaiveSettings,
    RhmcSettings,
    RmspropSettings,
    RnpHmcPrintedSettings,
    RnpHmcSettings,
    RunSettings,
    RwmSettings,
    SgdMomentumSettings,
    SgdSettings,
    SghmcEmSettings,
    SghmcNaiveSettings,
    SghmcSettings,
    SgldSettings,
    SgnhtEmSettings,
    SgnhtSettings,
    SgNphmcCanonicalSettings,
    SgNphmcEmSettings,
    SgNphmcSettings,
    SgrldSettings,
    SgrNphmcCanonicalSettings,
    SgrNphmcSettings,
)
from quasar.run import Run
from quasar.settings import TargetLike


class Starts(Protocol):
    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["nuts"] = "nuts", **settings: Unpack[NutsSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["hmc"], **settings: Unpack[HmcSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["qnhmc"], **settings: Unpack[QnhmcSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["hmc-bfgs"], **settings: Unpack[HmcBfgsSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["qnhmc-naive"], **settings: Unpack[QnhmcNaiveSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["rhmc"], **settings: Unpack[RhmcSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["mala"], **settings: Unpack[MalaSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["sgld"], **settings: Unpack[SgldSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["psgld"], **settings: Unpack[PsgldSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["sgrld"], **settings: Unpack[SgrldSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["hamcmc"], **settings: Unpack[HamcmcSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["qn-langevin-naive"], **settings: Unpack[QnLangevinNaiveSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["sghmc"], **settings: Unpack[SghmcSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sghmc-naive"], **settings: Unpack[SghmcNaiveSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["sgnht"], **settings: Unpack[SgnhtSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["nh-hmc"], **settings: Unpack[NhHmcSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["np-hmc"], **settings: Unpack[NpHmcSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sg-nphmc-canonical"], **settings: Unpack[SgNphmcCanonicalSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sg-nphmc"], **settings: Unpack[SgNphmcSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["hmc-em"], **settings: Unpack[HmcEmSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sghmc-em"], **settings: Unpack[SghmcEmSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sgnht-em"], **settings: Unpack[SgnhtEmSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sg-nphmc-em"], **settings: Unpack[SgNphmcEmSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["rnp-hmc"], **settings: Unpack[RnpHmcSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["rnp-hmc-printed"], **settings: Unpack[RnpHmcPrintedSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sgr-nphmc-canonical"], **settings: Unpack[SgrNphmcCanonicalSettings]
    ) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sgr-nphmc"], **settings: Unpack[SgrNphmcSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["dsgld"], **settings: Unpack[DsgldSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["dpsgld"], **settings: Unpack[DpsgldSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["dsghmc"], **settings: Unpack[DsghmcSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["dhamcmc"], **settings: Unpack[DhamcmcSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["sgd"], **settings: Unpack[SgdSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["sgd-momentum"], **settings: Unpack[SgdMomentumSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["rmsprop"], **settings: Unpack[RmspropSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["als"], **settings: Unpack[AlsSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["gibbs"], **settings: Unpack[GibbsSettings]) -> Job: ...

    @overload
    def __call__(
        self, target: TargetLike, sampler: Literal["ihmm-beam"], **settings: Unpack[IhmmBeamSettings]
    ) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: Literal["rwm"], **settings: Unpack[RwmSettings]) -> Job: ...

    @overload
    def __call__(self, target: TargetLike, sampler: str, **settings: Unpack[RunSettings]) -> Job: ...


class Samples(Protocol):
    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["nuts"] = "nuts",
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[NutsSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["hmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[HmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["qnhmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[QnhmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["hmc-bfgs"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[HmcBfgsSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["qnhmc-naive"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[QnhmcNaiveSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["rhmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RhmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["mala"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[MalaSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgld"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgldSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["psgld"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[PsgldSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgrld"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgrldSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["hamcmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[HamcmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["qn-langevin-naive"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[QnLangevinNaiveSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sghmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SghmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sghmc-naive"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SghmcNaiveSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgnht"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgnhtSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["nh-hmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[NhHmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["np-hmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[NpHmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sg-nphmc-canonical"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgNphmcCanonicalSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sg-nphmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgNphmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["hmc-em"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[HmcEmSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sghmc-em"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SghmcEmSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgnht-em"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgnhtEmSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sg-nphmc-em"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgNphmcEmSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["rnp-hmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RnpHmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["rnp-hmc-printed"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RnpHmcPrintedSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgr-nphmc-canonical"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgrNphmcCanonicalSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgr-nphmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgrNphmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["dsgld"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[DsgldSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["dpsgld"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[DpsgldSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["dsghmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[DsghmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["dhamcmc"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[DhamcmcSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgd"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgdSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["sgd-momentum"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[SgdMomentumSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["rmsprop"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RmspropSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["als"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[AlsSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["gibbs"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[GibbsSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["ihmm-beam"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[IhmmBeamSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: Literal["rwm"],
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RwmSettings],
    ) -> Run: ...

    @overload
    def __call__(
        self,
        target: TargetLike,
        sampler: str,
        *,
        progress: bool | None = None,
        warn: bool = True,
        **settings: Unpack[RunSettings],
    ) -> Run: ...
