"""The models that PyTorch 2.0 was announced with, and the package that has each today.

The announcement (https://pytorch.org/get-started/pytorch-2.0/) counts 46 models of Hugging Face,
61 of timm and 56 of TorchBench, and names none. The names are those of PyTorch's own benchmarks at
that time (`benchmarks/dynamo`, end of 2022), which list 53, 62 and 73: which of these were not
counted is not written there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Origin = Literal["Hugging Face", "timm", "TorchBench"]

COUNTED: dict[Origin, int] = {"Hugging Face": 46, "timm": 61, "TorchBench": 56}
"""How many of each the announcement counts."""


class Announced(Struct, frozen=True):
    """A name of the benchmarks. `package` has the model as `named`; without one, `why` says so."""

    name: str
    origin: Origin
    package: str = ""
    named: str = ""
    why: str = ""


_HUGGING_FACE = """
    AlbertForMaskedLM AlbertForQuestionAnswering AllenaiLongformerBase BartForCausalLM
    BartForConditionalGeneration BertForMaskedLM BertForQuestionAnswering BigBird
    BlenderbotForCausalLM BlenderbotForConditionalGeneration BlenderbotSmallForCausalLM
    BlenderbotSmallForConditionalGeneration CamemBert DebertaForMaskedLM
    DebertaForQuestionAnswering DebertaV2ForMaskedLM DebertaV2ForQuestionAnswering
    DistilBertForMaskedLM DistilBertForQuestionAnswering DistillGPT2 ElectraForCausalLM
    ElectraForQuestionAnswering GPT2ForSequenceClassification GPTJForCausalLM
    GPTJForQuestionAnswering GPTNeoForCausalLM GPTNeoForSequenceClassification GoogleFnet
    LayoutLMForMaskedLM LayoutLMForSequenceClassification M2M100ForConditionalGeneration
    MBartForCausalLM MBartForConditionalGeneration MT5ForConditionalGeneration
    MegatronBertForCausalLM MegatronBertForQuestionAnswering MobileBertForMaskedLM
    MobileBertForQuestionAnswering OPTForCausalLM PLBartForCausalLM
    PLBartForConditionalGeneration PegasusForCausalLM PegasusForConditionalGeneration Reformer
    RobertaForCausalLM RobertaForQuestionAnswering Speech2Text2ForCausalLM
    T5ForConditionalGeneration T5Small TrOCRForCausalLM XGLMForCausalLM XLNetLMHeadModel
    YituTechConvBert
"""
_CLASSES = {
    "AllenaiLongformerBase": "LongformerForMaskedLM",
    "BigBird": "BigBirdForMaskedLM",
    "CamemBert": "CamembertForMaskedLM",
    "DistillGPT2": "GPT2LMHeadModel",
    "GoogleFnet": "FNetForMaskedLM",
    "Reformer": "ReformerForMaskedLM",
    "T5Small": "T5ForConditionalGeneration",
    "YituTechConvBert": "ConvBertForMaskedLM",
}
_REMOVED = {
    "Speech2Text2ForCausalLM": "transformers has no such class any more",
    "gluon_xception65": "timm has no model of this name any more",
}

_TIMM = """
    adv_inception_v3 beit_base_patch16_224 botnet26t_256 cait_m36_384 coat_lite_mini convit_base
    convmixer_768_32 convnext_base crossvit_9_240 cspdarknet53 deit_base_distilled_patch16_224
    dla102 dm_nfnet_f0 dpn107 eca_botnext26ts_256 eca_halonext26ts ese_vovnet19b_dw fbnetc_100
    fbnetv3_b gernet_l ghostnet_100 gluon_inception_v3 gluon_xception65 gmixer_24_224
    gmlp_s16_224 hrnet_w18 inception_v3 jx_nest_base lcnet_050 levit_128 mixer_b16_224 mixnet_l
    mnasnet_100 mobilenetv2_100 mobilenetv3_large_100 mobilevit_s nfnet_l0 pit_b_224
    pnasnet5large poolformer_m36 regnety_002 repvgg_a2 res2net101_26w_4s res2net50_14w_8s
    res2next50 resmlp_12_224 resnest101e rexnet_100 sebotnet33ts_256 selecsls42b spnasnet_100
    swin_base_patch4_window7_224 swsl_resnext101_32x16d tf_efficientnet_b0 tf_mixnet_l tinynet_a
    tnt_s_patch16_224 twins_pcpvt_base visformer_small vit_base_patch16_224 volo_d1_224
    xcit_large_24_p8_224
"""

_OWN = "TorchBench's repository has or fetches the code, and is no package"
_TORCHBENCH: Mapping[str, tuple[str, str] | str] = {
    **dict.fromkeys(
        (
            "BERT_pytorch",
            "Background_Matting",
            "LearningToPaint",
            "Super_SloMo",
            "attention_is_all_you_need_pytorch",
            "drq",
            "fambench_dlrm",
            "fambench_xlmr",
            "fastNLP_Bert",
            "maml",
            "maml_omniglot",
            "moco",
            "nvidia_deeprecommender",
            "pplbench_beanmachine",
            "pyhpc_equation_of_state",
            "pyhpc_isoneutral_mixing",
            "pyhpc_turbulent_kinetic_energy",
            "pytorch_CycleGAN_and_pix2pix",
            "pytorch_stargan",
            "soft_actor_critic",
            "speech_transformer",
            "tacotron2",
            "tts_angular",
            "yolov3",
        ),
        _OWN,
    ),
    **dict.fromkeys(
        (
            *(
                f"detectron2_fasterrcnn_r_{depth}_{kind}"
                for depth in (50, 101)
                for kind in ("c4", "dc5", "fpn")
            ),
            *(
                f"detectron2_maskrcnn_r_{depth}_{kind}"
                for depth in (50, 101)
                for kind in ("c4", "fpn")
            ),
            "detectron2_fcos_r_50_fpn",
            "detectron2_maskrcnn",
        ),
        "detectron2 is no package of the index",
    ),
    **{
        name: f"it is made with the package {package}, which the corpus does not use"
        for name, package in (
            ("DALLE2_pytorch", "dalle2-pytorch"),
            ("demucs", "demucs"),
            ("opacus_cifar10", "opacus"),
            ("pytorch_struct", "torch-struct"),
            ("timm_efficientdet", "effdet"),
        )
    },
    "dcgan": ("dynamo_lab", "dcgan_generator"),
    "dlrm": ("dynamo_lab", "dlrm"),
    "pytorch_unet": ("dynamo_lab", "unet"),
    **{
        name: ("torchvision", name)
        for name in (
            "alexnet",
            "densenet121",
            "mnasnet1_0",
            "mobilenet_v2",
            "mobilenet_v3_large",
            "resnet18",
            "resnet50",
            "resnext50_32x4d",
            "shufflenet_v2_x1_0",
            "squeezenet1_1",
            "vgg16",
        )
    },
    "vision_maskrcnn": ("torchvision", "maskrcnn_resnet50_fpn"),
    **dict.fromkeys(
        ("mobilenet_v2_quantized_qat", "resnet50_quantized_qat"),
        "quantized in a way that torchao has replaced",
    ),
    "hf_Albert": ("transformers", "AlbertForMaskedLM"),
    "hf_Bart": ("transformers", "BartForConditionalGeneration"),
    "hf_Bert": ("transformers", "BertForMaskedLM"),
    "hf_BigBird": ("transformers", "BigBirdForMaskedLM"),
    "hf_DistilBert": ("transformers", "DistilBertForMaskedLM"),
    "hf_GPT2": ("transformers", "GPT2LMHeadModel"),
    "hf_Longformer": ("transformers", "LongformerForMaskedLM"),
    "hf_Reformer": ("transformers", "ReformerForMaskedLM"),
    "hf_T5": ("transformers", "T5ForConditionalGeneration"),
    "timm_efficientnet": ("timm", "mixnet_m"),
    "timm_nfnet": ("timm", "dm_nfnet_f0"),
    "timm_regnet": ("timm", "regnety_120"),
    "timm_resnest": ("timm", "resnest14d"),
    "timm_vision_transformer": ("timm", "vit_small_patch16_224"),
    "timm_vovnet": ("timm", "vovnet39a"),
}


def announced() -> Iterator[Announced]:
    """Each name, by origin."""
    for name in _HUGGING_FACE.split():
        yield _of(name, "Hugging Face", "transformers", _CLASSES.get(name, name))
    for name in _TIMM.split():
        yield _of(name, "timm", "timm", name)
    for name, found in sorted(_TORCHBENCH.items(), key=lambda item: item[0].lower()):
        if isinstance(found, str):
            yield Announced(name, "TorchBench", why=found)
        else:
            yield Announced(name, "TorchBench", *found)


def _of(name: str, origin: Origin, package: str, named: str) -> Announced:
    if name in _REMOVED:
        return Announced(name, origin, why=_REMOVED[name])
    return Announced(name, origin, package, named)
