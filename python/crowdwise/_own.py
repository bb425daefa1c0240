"""Networks and classifiers that the caller brings."""

from __future__ import annotations

from typing import Any


def is_torch(network: Any) -> bool:
    """Whether it is a torch module."""
    return hasattr(network, "parameters") and hasattr(network, "state_dict") and callable(network)


def is_network(network: Any) -> bool:
    """Whether it has the calls that training needs itself."""
    return all(hasattr(network, n) for n in ("forward", "backward", "snapshot", "restore", "width", "outputs"))


def is_estimator(network: Any) -> bool:
    """Whether it is like a classifier of scikit-learn."""
    return hasattr(network, "fit") and hasattr(network, "predict_proba")


class TorchNetwork:
    """A torch module that is pushed by the gradient on its scores: ``logits.backward(d_logits)``.

    The module maps a batch of rows (or of images, channels first) to one score per class, without a soft-max. It is
    trained in place, by Adam unless another ``optimiser`` (a function of the parameters) is given.
    """

    def __init__(
        self,
        module: Any,
        width: int,
        outputs: int,
        image: Any = None,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        optimiser: Any = None,
    ) -> None:
        import torch

        self.torch = torch
        self.module = module
        self.width, self.outputs, self.image = width, outputs, image
        first = next(iter(module.parameters()))
        self.device, self.rate = first.device, 1.0
        self._make = optimiser or (lambda p: torch.optim.Adam(p, lr=learning_rate, weight_decay=weight_decay))
        self._optimiser = self._make(module.parameters())
        self._base = [g["lr"] for g in self._optimiser.param_groups]
        self._scores: Any = None
        self._x: Any = None

    def _batch(self, x: Any) -> Any:
        batch = (x if self.torch.is_tensor(x) else self.torch.from_numpy(x)).to(self.device)
        if self.image is not None:
            height, width, channels = self.image
            batch = batch.reshape(-1, height, width, channels).permute(0, 3, 1, 2).contiguous()
        return batch

    def forward(self, x: Any, mode: str) -> Any:
        self.module.train(mode == "train")
        if mode == "sample":
            for part in self.module.modules():
                if type(part).__name__.startswith("Dropout"):
                    part.train()
        self._x = x
        if mode == "train":
            self._scores = self.module(self._batch(x))
            out = self._scores.detach()
        else:
            with self.torch.no_grad():
                out = self.module(self._batch(x))
        return out.to("cpu", self.torch.float32).contiguous().numpy()

    def backward(self, d_scores: Any) -> None:
        self._optimiser.zero_grad()
        self._scores.backward(self.torch.from_numpy(d_scores).to(self._scores.device, self._scores.dtype))
        self._optimiser.step()

    def input_gradient(self, d_scores: Any) -> Any:
        """The derivative by the features of the last forward pass; no step is taken."""
        x = self.torch.from_numpy(self._x).requires_grad_(True)
        d = self.torch.from_numpy(d_scores).to(self.device)
        (slope,) = self.torch.autograd.grad(self.module(self._batch(x)), x, d)
        return slope.to("cpu", self.torch.float32).contiguous().numpy()

    def set_rate(self, factor: float) -> None:
        self.rate = factor
        for group, base in zip(self._optimiser.param_groups, self._base):
            group["lr"] = base * factor

    def _state(self) -> list[Any]:
        return [t for t in self.module.state_dict().values() if t.is_floating_point()]

    def snapshot(self) -> Any:
        import numpy as np

        parts = [t.detach().to("cpu", self.torch.float32).numpy().ravel() for t in self._state()]
        return np.ascontiguousarray(np.concatenate(parts))

    def restore(self, weights: Any) -> None:
        at = 0
        with self.torch.no_grad():
            for t in self._state():
                part = self.torch.from_numpy(weights[at : at + t.numel()].copy()).reshape(t.shape)
                t.copy_(part.to(t.device, t.dtype))
                at += t.numel()
        self._optimiser = self._make(self.module.parameters())
        self.set_rate(self.rate)


def probabilities(network: Any, x: Any, chunk: int = 512) -> Any:
    """Soft-max of the scores of rows."""
    import numpy as np

    parts = [network.forward(x[at : at + chunk], "eval") for at in range(0, len(x), chunk)]
    z = np.concatenate(parts).astype(np.float64)
    z -= z.max(axis=1, keepdims=True)
    p = np.exp(z)
    return p / p.sum(axis=1, keepdims=True)
