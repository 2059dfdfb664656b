"""What drawn programs call: a line for each, in which `drawn.py` fills in what is in braces.

Arguments stand apart by `; `. One that has a name goes by its position or by it, one with a `*`
by its name only, and one with a `?` may be left out, with what comes after it. In braces is a
method of `drawn.Program`, with letters for sizes, which are the same throughout a line.
"""

from __future__ import annotations

_ALONE = (
    "abs neg exp expm1 log log1p log2 sqrt rsqrt sin cos tan tanh sinh asinh atan sigmoid relu erf "
    "erfc erfinv floor ceil round trunc frac sign sgn square reciprocal digamma lgamma sinc logit "
    "exp2 nan_to_num"
)
_ASKED = "isnan isinf isfinite signbit logical_not isposinf"
_TWO = (
    "add sub mul div true_divide maximum minimum fmax atan2 fmod remainder floor_divide pow "
    "hypot logaddexp copysign eq ne lt le gt ge logical_and logical_or xlogy"
)
_ACTIVATIONS = (
    "gelu silu mish elu selu celu leaky_relu softplus hardtanh hardswish hardsigmoid logsigmoid "
    "softsign tanhshrink softshrink hardshrink relu6 glu normalize"
)
_REDUCED = "sum mean nansum amax amin logsumexp var std norm any all nanmean"
_ALL = "sum mean prod max min argmax argmin median var std norm any all count_nonzero"
_WITH_PLACE = "max min median mode nanmedian cummax cummin sort"
_LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss kl_div poisson_nll_loss"


def _each(names: str, line: str) -> list[str]:
    """Return the line with each of some names in it."""
    return [line.replace("NAME", name) for name in names.split()]


OPERATIONS = (
    *_each(_ALONE, "torch.NAME(input={f})"),
    *_each(_ALONE, "{f}.NAME()"),
    *_each(_ASKED, "{x}.NAME()"),
    *_each(_TWO, "torch.NAME(input={x}; other={mate})"),
    *_each(_TWO, "{f}.NAME({mate})"),
    "torch.add(input={x}; other={mate}; *alpha={n})",
    "torch.{text sub rsub}({x}; other={mate}; *alpha={n})",
    "torch.div({x}; {mate}; *rounding_mode={text 'floor' 'trunc' None})",
    "({x} {text + - * / // % **} {mate})",
    "({n} {text + - * /} {x})",
    "(-{x})",
    "({f} {text > < >= <= == !=} {mate})",
    "(~({f} > 0))",
    "(({f} > 0) {text & | ^} {flag})",
    "torch.{text addcmul addcdiv}({f}; {mate}; {mate}; *value=0.5)",
    *_each(_ACTIVATIONS, "F.NAME(input={f})"),
    "torch.clamp({x}; min={n}; ?max={n})",
    "{x}.clip({n}; ?{n})",
    "torch.lerp({f}; {same}; weight={text 0.5 0.1})",
    "torch.bitwise_{text and or xor}({i}; {n})",
    # Reductions
    *_each(_REDUCED, "torch.NAME(input={f}; dim={dim}; ?keepdim={flag})"),
    *_each(_REDUCED, "{x}.NAME(dim={dim}; ?keepdim={flag})"),
    *_each(_ALL, "{x}.NAME()"),
    "{x}.sum(dim=({dim},); keepdim={flag}; *dtype={dtype})",
    "torch.{text sum mean prod nansum}({x}; *dtype={dtype})",
    "torch.{text cumsum cumprod}({x}; dim={dim}; ?*dtype={dtype})",
    "torch.{text softmax log_softmax}({f}; dim={dim}; ?*dtype={float})",
    "{x}.{text sum amax mean}(dim=(0, -1))",
    *_each(_WITH_PLACE, "torch.NAME({x}; dim={dim})"),
    "torch.{text argmax argmin}({x}; dim={dim}; ?keepdim={flag})",
    "torch.{text var_mean std_mean}({f}; dim={dim}; *correction={text 0 1})",
    "torch.aminmax({x}; *dim={dim})",
    "torch.count_nonzero({x}; dim={dim})",
    "torch.linalg.{text vector_norm norm}({f}; {text 1 2 3 float('inf')}; dim={dim})",
    "torch.{text logcumsumexp diff}({f}; dim={dim})",
    "torch.quantile({f}; q={text 0.5 0.25}; dim={dim}; ?keepdim={flag})",
    "torch.topk({x}; k={k}; dim={dim}; ?largest={flag}; sorted={flag})",
    "torch.kthvalue({x}; k=1; dim={dim})",
    "torch.sort({x}; *dim={dim}; *descending={flag}; *stable={flag})",
    "torch.argsort({x}; dim={dim}; ?descending={flag})",
    "torch.renorm({f}; p=2; dim={dim}; maxnorm=1.0)",
    "torch.cumulative_trapezoid({f}; *dim={dim})",
    "torch.trapezoid({f}; *dim={dim})",
    # Products
    "torch.matmul(input={f}; other={right})",
    "({f} @ {right})",
    "F.linear(input={f}; weight={rows}; ?bias=None)",
    "torch.bmm({new b h w}; mat2={new b w d})",
    "torch.baddbmm({new b h d}; {new b h w}; batch2={new b w d}; *beta=0.5)",
    "torch.addmm({new d}; {new h w}; mat2={new w d}; *alpha=2)",
    "torch.mm({new h w}.t(); {new h d})",
    "torch.mv({new h w}; {new w})",
    "torch.dot({new n}; {new n})",
    "torch.addbmm({new h d}; {new b h w}; {new b w d})",
    "torch.outer({new h}; {new w})",
    "torch.kron({new k h}; {new k w})",
    "torch.cdist({new h d}; {new w d}; p={text 1.0 2.0})",
    "torch.einsum('bhw,bwd->{text bhd hd bd d}'; {new b h w}; {new b w d})",
    "torch.einsum('bhw,hd->bwd'; {new b h w}; {new h d})",
    "torch.tensordot({new b h w}; {new h w d}; dims={text 2 ([1,2],[0,1])})",
    "torch.linalg.multi_dot([{new h w}, {new w d}, {new d b}])",
    "torch.{text inner}({new h w}; {new d w})",
    "F.bilinear({new b h}; {new b w}; {new d h w})",
    (
        "F.scaled_dot_product_attention({new b k l e}; {new b k l e}; {new b k l e}; "
        "*is_causal={flag})"
    ),
    "F.scaled_dot_product_attention(query={new b k l e}; key={new b k m e}; value={new b k m e})",
    "F.cosine_similarity({f}; {same}; dim={dim})",
    "F.pairwise_distance({new b d}; {new b d})",
    # Put together and taken apart
    "torch.cat([{x}, {same}]; dim={dim})",
    "torch.cat(tensors=({x}, {same}, {x2}); dim=0)",
    "torch.stack([{x}, {same}]; dim={dim})",
    "torch.{text hstack vstack dstack}([{x}, {same}])",
    "{x}.{text chunk}({k}; dim={dim})",
    "torch.split({x}; split_size_or_sections={n}; dim={dim})",
    "torch.unbind({new k h w}; dim={text 0 -1})",
    "{x}.{text tile repeat}({k}, {k}, {k})",
    "{x}.repeat_interleave({k}; dim={dim})",
    "torch.roll({x}; shifts={n}; dims={dim})",
    "torch.flip({x}; dims=[{dim}])",
    "torch.{text tril triu}({x}; diagonal={text 0 1 -1})",
    "torch.rot90({x})",
    "torch.diag({new n})",
    "torch.diag_embed({new h w})",
    "torch.meshgrid({new h}; {new w}; *indexing='ij')",
    "torch.cartesian_prod({new h}; {new w})",
    "torch.tensor_split({x}; {k}; dim={dim})",
    "torch.block_diag({new h w}; {new d h})",
    "torch.take_along_dim({x}; {place}; dim={dim0})",
    "F.pad({x}; pad=({k}, {k}); ?mode='constant'; value=0.5)",
    "F.pad({new b c h w}; (1, 1, 1, 1); mode={text 'reflect' 'replicate' 'circular'})",
    "F.interpolate({new b c h w}; scale_factor=2; *mode={text 'nearest' 'bilinear' 'bicubic'})",
    "F.interpolate({new b c h}; size={n}; *mode={text 'nearest' 'linear'})",
    "F.unfold({new b c h w}; kernel_size=3; ?dilation=1; padding=1; stride={k})",
    "F.fold({new b 36 l}; output_size=({l}+1, 2); kernel_size=2)",
    "F.pixel_shuffle({new b 16 h w}; upscale_factor=2)",
    "F.{text max_pool2d avg_pool2d}({new b c h w}; kernel_size=2; ?stride=2; padding={text 0 1})",
    "F.{text adaptive_avg_pool2d adaptive_max_pool2d}({new b c h w}; output_size={k})",
    "F.{text max_pool1d avg_pool1d}({new b c l}; kernel_size=2)",
    "F.max_pool2d({new b c h w}; 2; *return_indices=True)",
    "F.lp_pool2d({new b c h w}; norm_type=2; kernel_size=2)",
    "F.affine_grid({new b 2 3}; size=({b}, {c}, {h}, {w}))",
    "F.grid_sample({new b c h w}; {new b l m 2}; *align_corners={flag})",
    "F.layer_norm({new b h w}; normalized_shape=({w},))",
    "F.group_norm({new b 16 h w}; num_groups=4)",
    "F.batch_norm({new b c h w}; None; None; *training=True)",
    "F.instance_norm({new b c h w})",
    "F.rms_norm({new b h w}; ({w},))",
    "F.local_response_norm({new b c h w}; size=2)",
    "F.dropout({f}; p=0.5; ?training={flag})",
    "F.{text alpha_dropout dropout1d feature_alpha_dropout}({new b c h}; p=0.5; ?training=True)",
    "F.gumbel_softmax({f}; tau=1; hard={flag})",
    "F.one_hot({index n b l}; num_classes={n})",
    "F.embedding({index n b l}; weight={new n d})",
    "F.embedding_bag({index n b l}; {new n d}; *mode={text 'sum' 'mean' 'max'})",
    # Indexing
    "{x}[{text 0 -1 1: :-1 ::2 None ... :,0 ...,0 ...,::2}]",
    "{x}[{index s n}]",
    "{x}[:, {index s n}]",
    "{x}[{text [0] [0,0] (0,) [[0,0],[0,0]]}]",
    "torch.gather({x}; dim={dim0}; index={place})",
    "torch.scatter({x}; dim={dim0}; index={place}; value={n})",
    "torch.scatter({x}; {dim0}; {place}; src={same})",
    "torch.scatter_add({x}; dim={dim0}; index={place}; src={same})",
    "{x}.scatter_reduce({dim0}; {place}; {same}; reduce={text 'sum' 'amax' 'mean'})",
    "torch.index_select({x}; dim={dim0}; index={index s n})",
    "{x}.index_{text add copy}(0; {index s s}; {fresh})",
    "{x}.index_fill(0; {index s n}; {text 0 1})",
    "torch.take({x}; {index n n})",
    "torch.masked_fill({x}; {mask}; {text 0 1 2.5})",
    "torch.where({mask}; {x}; {text 0 1.5})",
    "torch.where(condition={mask}; input={x}; other={same})",
    "torch.searchsorted({new n}; {f})",
    "torch.bucketize({f}; {new n})",
    "torch.histc({new n}; bins={h})",
    # Views
    "{x}.{text flatten detach contiguous clone squeeze ravel t_like alias}()",
    "{x}.{text t mT T}",
    "{x}.transpose({dim}; {dim})",
    "{x}.{text unsqueeze}(dim={text 0 -1})",
    "{x}.reshape({text -1 (-1,) (1,-1) (-1,1) (2,-1)})",
    "{x}.view({text -1 (1,-1)})",
    "{x}.expand({k}, *{x}.shape)",
    "{x}.narrow(dim={dim0}; start=0; length=1)",
    "{x}.movedim({dim}; {dim})",
    "{x}.unfold({dim0}; size=1; step=1)",
    "{x}.diagonal()",
    "{x}.clone(*memory_format={text torch.contiguous_format torch.preserve_format})",
    "{new b c h w}.contiguous(*memory_format=torch.channels_last)",
    "{new b c h w}.to(*memory_format=torch.channels_last)",
    "{t}[{text 0 -1 1}]",
    "torch.as_strided({new 4 n}; (2, 2); (1, 1))",
    # Casts and moves
    "{x}.to({dtype})",
    "{x}.to(dtype={dtype}; ?non_blocking={flag}; copy={flag})",
    "{x}.to({device}; ?dtype={dtype}; non_blocking={flag}; copy={flag})",
    "{x}.to(*device={device}; ?*dtype={dtype})",
    "{x}.to(other={x2}; ?non_blocking={flag}; copy={flag})",
    "{x}.type(dtype={dtype})",
    "{x}.type({text 'torch.cuda.FloatTensor' 'torch.cuda.HalfTensor' torch.cuda.DoubleTensor})",
    "{x}.type_as(other={x2})",
    "{x}.{text half float double bfloat16 int long bool short}()",
    "{x}.cpu().cuda(?device={device}; ?*non_blocking={flag})",
    "{x}.cuda(?device={text None 0 'cuda'}; ?*non_blocking={flag})",
    "{x}.cpu().to({device})",
    "torch.randn({h}, {w}).to({device}; ?{dtype})",
    "torch.ones({h}, {w}).pin_memory().to(device={device}; *non_blocking=True)",
    "{i}.view({text torch.int32 torch.float32 torch.uint8})",
    "torch.view_as_complex({new b h 2})",
    "torch.complex({new h w}; {new h w})",
    "torch.polar({new h w}; {new h w})",
    "torch.fft.{text fft rfft}({f}; *dim={dim})",
    "torch.cummax({f}; {dim})",
    "torch.nn.utils.parameters_to_vector([{f}, {f}])",
    # Random numbers
    "torch.bernoulli({f}; ?{text p=0.5})",
    "torch.{text rand_like randn_like empty_like zeros_like ones_like}({f}; *dtype={float})",
    "torch.full_like({x}; fill_value={n}; ?*dtype={dtype})",
    "torch.randint_like({x}; high={n})",
    "torch.multinomial({new h w}.abs(); num_samples={k}; ?replacement=True)",
    "torch.normal(mean={f}; std=1.0)",
    "torch.poisson({f})",
    "{x}.new_{text zeros ones empty}(({h}, {w}); ?*dtype={dtype})",
    "{x}.new_full(size=({h}, {w}); fill_value={n})",
    "{x}.new_tensor([1, 2, 3])",
    # Losses
    *_each(_LOSSES, "F.NAME({f}; {same}; *reduction={reduction})"),
    "F.cross_entropy({new b c}; {index c b}; *reduction={reduction}; *label_smoothing=0.1)",
    "F.cross_entropy(input={new b c h w}; target={index c b h w}; *reduction={reduction})",
    "F.cross_entropy({new b c}; {new b c}.softmax(1))",
    "F.cross_entropy({new b c}; {index c b}; weight={new c})",
    "F.nll_loss({new b c}.log_softmax(1); {index c b}; *reduction={reduction})",
    "F.binary_cross_entropy({new b d}.sigmoid(); {same}.sigmoid(); *reduction={reduction})",
    "F.binary_cross_entropy_with_logits({f}; {same}; *reduction={reduction})",
    "F.{text hinge_embedding_loss}({f}; {same}; *reduction={reduction})",
    "F.margin_ranking_loss({new b}; {new b}; {new b}; *reduction={reduction})",
    "F.triplet_margin_loss({new b d}; {new b d}; {new b d}; *reduction={reduction})",
    "F.cosine_embedding_loss({new b d}; {new b d}; {new b})",
    "F.gaussian_nll_loss({new b d}; {new b d}; {new b d}.abs())",
    "F.multi_margin_loss({new b c}; {index c b}; *reduction={reduction})",
    "F.multilabel_soft_margin_loss({new b c}; {new b c})",
    "torch.func.grad(lambda a: a.square().sum())({new h w})",
    "torch.autograd.grad({new h w r}.exp().sum(); [{last}])",
)
"""What makes a tensor, or some."""

CHANGES = (
    "{x}.{text abs exp relu zero sigmoid neg sqrt}_()",
    "{x}.{text add sub mul div copy pow fmod}_({mate})",
    "{x}.{text normal uniform random bernoulli exponential}_()",
    "{x}.add_({mate}; *alpha={k})",
    "{f}.addcmul_({same}; {same}; *value=0.5)",
    "{f}.lerp_({same}; weight=0.5)",
    "{x}.clamp_(min=0; ?max=1)",
    "{x}.fill_(value={n})",
    "{x}.masked_fill_(mask={mask}; value=0)",
    "{x}.scatter_({dim0}; {place}; {n})",
    "{x}.scatter_add_({dim0}; {place}; {fresh})",
    "{x}.index_{text add copy}_(0; {index s s}; {fresh})",
    "{x}.index_fill_(0; {index s n}; 0)",
    "{x}.cumsum_(dim={dim})",
    "{x}.{text tril triu}_()",
    "{x}.unsqueeze_(0)",
    "{x}.transpose_({dim}; {dim})",
    "{x}.__setitem__({text 0 slice(1,None) ...}; {n})",
    "{x}.__setitem__({index s n}; {n})",
    "{x}.__setitem__({mask}; {n})",
    "{x}.index_put_(indices=({index s n},); values={fresh}[0]; *accumulate={flag})",
    "F.{text relu hardswish silu elu leaky_relu}({f}; *inplace=True)",
    "F.dropout({f}; *p=0.5; *inplace=True)",
    "torch.{text add mul sub maximum}({f}; {same}; *out={same})",
    "torch.{text exp sin sigmoid}({f}; *out={same})",
    "torch.matmul({new h w}; {new w d}; *out={new h d})",
    "torch.cat([{x}, {same}]; dim=0; *out=torch.empty(0, device={device}, dtype={x}.dtype))",
    "torch.sum({x}; dim={dim0}; *out=torch.empty(0, device={device}, dtype={x}.dtype))",
    "nn.init.{text normal_ xavier_uniform_ kaiming_normal_ trunc_normal_}({new h w})",
    "torch._foreach_{text add mul}([{f}, {same}]; 2)",
    "torch._foreach_{text exp sqrt neg}([{f}, {same}])",
    "{f}.float().sum().item()",
    "{f}.detach().cpu()",
    "torch.save({x}; '/dev/null')",
    "{f}.grad_fn",
)
"""What changes one, or leaves nothing."""

FACTORIES = (
    (
        "torch.{text randn zeros ones empty rand}({shape}; *device={device}; ?*dtype={float}; "
        "*requires_grad={flag})"
    ),
    "torch.{text randn zeros ones}(size={shape}; *device={device}; *dtype={float})",
    "torch.{text zeros ones empty}(*{shape}; *device={device}; ?*dtype={dtype})",
    "torch.full(size={shape}; fill_value={n}; ?*dtype={dtype}; *device={device})",
    "torch.arange(end={n}; *device={device}; ?*dtype={dtype})",
    "torch.arange(0; {n}; ?{k}; *device={device})",
    "torch.linspace(start=0; end=1; steps={n}; *device={device}; ?*dtype={float})",
    (
        "torch.randint(0; high={n}; size={shape}; ?*dtype={text torch.int32 torch.int64 "
        "torch.int16}; *device={device})"
    ),
    "torch.randint({n}; {shape}; *device={device})",
    "torch.randperm(n={n}; *device={device})",
    "torch.eye(n={n}; ?m={n}; *device={device}; *dtype={float})",
    "torch.tensor([[1.0, 2.0]]; *device={device}; ?*dtype={dtype}; ?*requires_grad=True)",
    "torch.tensor(data={n}; *device={device}; ?*dtype={dtype})",
    "torch.as_tensor([1, 2, 3]; dtype={dtype}; device={device})",
    "torch.empty_strided(({h}, {w}); stride=(1, {h}); *device={device}; *dtype={float})",
    "torch.empty({new b c h w}.shape; *device={device}; *memory_format=torch.channels_last)",
    "torch.cuda.FloatTensor({h}, {w}).zero_()",
    "torch.normal(0.0; 1.0; size={shape}; *device={device})",
    "torch.tril_indices({h}; {w}; *device={device})",
    "torch.hann_window({n}; *device={device})",
    "torch.logspace(0; 1; steps={n}; *device={device})",
    "nn.Parameter(torch.randn({shape}, device={device}))",
)
"""What makes tensors of nothing."""

MODULES = (
    "nn.Linear(in_features={h}; out_features={w}; ?bias={flag}) @ {new b h}",
    "nn.Linear({h}; {w}) @ {new b l h}",
    (
        "nn.Sequential(nn.Linear({h}, {w}), nn.{text ReLU GELU SiLU Tanh ELU}(), nn.Linear({w}, "
        "{d})) @ {new b h}"
    ),
    (
        "nn.Sequential(nn.Linear({h}, {w}), nn.LayerNorm({w}), nn.ReLU(inplace=True), "
        "nn.Dropout(0.1), nn.Linear({w}, {h})) @ {new b l h}"
    ),
    (
        "nn.Conv1d(in_channels={c}; out_channels={o}; kernel_size={k}; ?stride={k}; padding={k}) "
        "@ {new b c l}"
    ),
    (
        "nn.Conv2d(in_channels={c}; out_channels={o}; kernel_size={k}; ?stride={k}; padding={k}; "
        "dilation=1; groups=1; bias={flag}) @ {new b c h w}"
    ),
    "nn.Conv2d({c}; {c}; kernel_size=3; *padding={text 'same' 1}; *groups={c}) @ {new b c h w}",
    "nn.Conv2d({c}; {o}; 3; *padding=1; *padding_mode={text 'reflect' 'circular'}) @ {new b c h w}",
    "nn.Conv3d({c}; {o}; kernel_size={k}) @ {new b c k l m}",
    "nn.ConvTranspose1d({c}; {o}; kernel_size=2; ?stride=2) @ {new b c l}",
    "nn.ConvTranspose2d({c}; {o}; kernel_size=2; ?stride=2; padding=1) @ {new b c h w}",
    "nn.ConvTranspose3d({c}; {o}; kernel_size=2) @ {new b c k l m}",
    (
        "nn.Sequential(nn.Conv2d({c}, {o}, 3), nn.BatchNorm2d({o}), nn.ReLU(), nn.MaxPool2d(2), "
        "nn.Flatten(), nn.LazyLinear({d})) @ {new b c h w}"
    ),
    (
        "nn.Sequential(nn.Conv2d({c}, {o}, 3, bias=False), nn.BatchNorm2d({o}), "
        "nn.SiLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear({o}, {d})) @ "
        "{new b c h w}"
    ),
    (
        "nn.BatchNorm1d(num_features={c}; ?eps=1e-4; momentum=0.2; affine={flag}; "
        "track_running_stats={flag}) @ {new b c}"
    ),
    "nn.BatchNorm2d({c}; *affine={flag}) @ {new b c h w}",
    "nn.BatchNorm3d({c}) @ {new b c k l m}",
    "nn.LayerNorm(normalized_shape={h}; ?eps=1e-6; elementwise_affine={flag}) @ {new b l h}",
    "nn.LayerNorm([{l}, {h}]) @ {new b l h}",
    "nn.RMSNorm({h}; *elementwise_affine={flag}) @ {new b l h}",
    "nn.GroupNorm(num_groups=4; num_channels=32) @ {new b 32 h w}",
    "nn.InstanceNorm2d({c}; *affine={flag}; *track_running_stats={flag}) @ {new b c h w}",
    "nn.Embedding(num_embeddings={n}; embedding_dim={h}; ?padding_idx=0) @ {index n b l}",
    "nn.EmbeddingBag({n}; {h}; *mode={text 'sum' 'mean'}) @ {index n b l}",
    "nn.Sequential(nn.Embedding({n}, {h}), nn.Linear({h}, {n})) @ {index n b l}",
    (
        "nn.{text RNN LSTM GRU}(input_size={h}; hidden_size={w}; ?num_layers={k}; bias={flag}; "
        "batch_first={flag}; dropout=0.0; bidirectional={flag}) @ {new l b h}"
    ),
    "nn.LSTM({h}; {w}; *proj_size=8) @ {new l b h}",
    "nn.{text LSTMCell GRUCell RNNCell}({h}; {w}) @ {new b h}",
    (
        "nn.MultiheadAttention(embed_dim={e}; num_heads={text 1 2 4}; ?dropout=0.1; "
        "*batch_first={flag}) @ {new l b e}, {last}, {last}"
    ),
    "nn.MultiheadAttention({e}; 4) @ {new l b e}, {last}, {last}, need_weights=False",
    (
        "nn.TransformerEncoderLayer(d_model={e}; nhead=4; ?dim_feedforward={w}; dropout={text "
        "0.0 0.1}; activation={text 'relu' 'gelu'}; *batch_first={flag}; *norm_first={flag}) @ "
        "{new b l e}"
    ),
    "nn.TransformerDecoderLayer({e}; nhead=4; dim_feedforward={w}) @ {new b l e}, {last}",
    (
        "nn.TransformerEncoder(nn.TransformerEncoderLayer({e}, 4, {w}, batch_first=True); "
        "num_layers={k}) @ {new b l e}"
    ),
    "nn.{text MaxPool2d AvgPool2d}(kernel_size=2; ?stride=2; padding=1) @ {new b c h w}",
    "nn.{text AdaptiveAvgPool2d AdaptiveMaxPool2d}(output_size={k}) @ {new b c h w}",
    "nn.{text MaxPool3d AvgPool3d}(2) @ {new b c 4 l m}",
    "nn.{text MaxPool1d AvgPool1d}(2) @ {new b c l}",
    "nn.FractionalMaxPool2d(2; *output_ratio=0.5) @ {new b c h w}",
    (
        "nn.{text GELU SiLU Mish ELU SELU Softplus Hardtanh LogSigmoid Softsign PReLU RReLU "
        "GLU}() @ {new b 32 h}"
    ),
    "nn.{text Softmax LogSoftmax}(dim={text 1 -1}) @ {new b c h}",
    "nn.{text Dropout Dropout2d AlphaDropout}(p=0.3; ?inplace=False) @ {new b c h w}",
    "nn.Upsample(scale_factor=2; *mode={text 'nearest' 'bilinear'}) @ {new b c h w}",
    "nn.PixelShuffle(2) @ {new b 16 h w}",
    "nn.{text ReflectionPad2d ZeroPad2d ReplicationPad2d}(1) @ {new b c h w}",
    "nn.Bilinear({h}; {w}; {d}) @ {new b h}, {new b w}",
    "nn.CosineSimilarity(dim=1) @ {new b h}, {new b h}",
    "nn.Unfold(3; *padding=1) @ {new b c h w}",
    "nn.Flatten() @ {new b c h w}",
    "nn.LocalResponseNorm(2) @ {new b c h w}",
    "torch.nn.utils.parametrizations.weight_norm(nn.Linear({h}, {w})) @ {new b h}",
    "torch.nn.utils.parametrizations.spectral_norm(nn.Linear({h}, {w})) @ {new b h}",
)
"""Modules, and after `@` what they are called with."""

OPTIMIZERS = (
    "SGD(params={p}; ?lr=0.1; momentum={text 0 0.9}; *nesterov=False; *foreach={how})",
    "SGD({p}; lr=0.1; momentum=0.9; *fused=True)",
    "Adam(params={p}; ?lr=1e-3; *amsgrad={flag}; *foreach={how})",
    "Adam({p}; *fused=True)",
    "AdamW({p}; ?lr=1e-3; betas=(0.9, 0.99); *weight_decay=0.1; *foreach={how})",
    "AdamW({p}; *fused=True; *lr=torch.tensor(0.1))",
    "{text RMSprop Adagrad Adadelta NAdam RAdam Adamax Rprop ASGD}({p}; *lr=0.01; *foreach={how})",
    "RMSprop({p}; *momentum=0.9; *centered=True)",
)
"""What trains them, below `torch.optim`."""
