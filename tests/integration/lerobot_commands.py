"""LeRobot's own commands (build/lerobot) in a process of their own, for test_lerobot.py: what they
import and never use here, torch among it, is blank, and a data set is a file of JSON.

    python -m tests.integration.lerobot_commands LIB PLUGINS record --robot.type=saintos ...
"""

import importlib
import json
import sys
from abc import ABCMeta
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

UNUSED = {
    "accelerate", "av", "cv2", "datasets", "diffusers", "einops", "fsspec", "gymnasium", "imageio",
    "jsonlines", "pandas", "pyarrow", "rerun", "safetensors", "termcolor", "torch", "torchvision",
    "transformers", "wandb", "torchcodec", "filelock", "requests", "httpx",
}  # fmt: skip


class _BlankType(ABCMeta):
    def __getattr__(cls, name: str) -> type:
        return _attribute(name)

    def __getitem__(cls, _: object) -> type:
        return Blank


class Blank(metaclass=_BlankType):
    """Stands for whatever is named, called or used as a decorator while LeRobot is imported."""

    def __new__(cls, *_: object, **__: object) -> Self:
        return super().__new__(cls)

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __call__(self, *given: Any, **_: Any) -> Any:
        return given[0] if given else self

    def __getattr__(self, name: str) -> type:
        return _attribute(name)


class BlankModules(MetaPathFinder, Loader):
    """Finds every module below the unused ones, and LeRobot's policies: here people drive."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        is_blank = name.partition(".")[0] in UNUSED or name.startswith("lerobot.policies")
        return ModuleSpec(name, self, is_package=True) if is_blank else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        vars(module).update(__getattr__=_attribute, __version__="0")
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing."""


def _attribute(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return _BlankType(name, (Blank,), {})  # another one each time: a class may have two of them


class JsonDataset:
    """What LeRobot's commands use of a data set, in one file of JSON."""

    episodes_since_last_encoding = 0
    meta = SimpleNamespace(video_keys=[])

    def __init__(self, repo_id: str, root: str, **_: object) -> None:
        self.root = Path(root)
        self.file = self.root / f"{repo_id.replace('/', '_')}.json"
        self.frames: list[dict[str, Any]] = []
        self.num_episodes = 0
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.features, self.fps, self.frames = kept["features"], kept["fps"], kept["frames"]

    @classmethod
    def create(
        cls, repo_id: str, fps: int, root: str, features: dict[str, Any], **_: object
    ) -> Self:
        made = cls(repo_id, root)
        made.fps, made.features = fps, features
        return made

    def add_frame(self, frame: dict[str, Any]) -> None:
        self.frames.append({name: getattr(each, "tolist", lambda e=each: e)()
                            for name, each in frame.items()})  # fmt: skip

    def save_episode(self) -> None:
        self.num_episodes += 1
        features = {
            name: {k: v for k, v in each.items() if k in ("dtype", "names")}
            for name, each in self.features.items()
        }
        kept = {"features": features, "fps": self.fps, "frames": self.frames}
        self.file.write_text(json.dumps(kept))

    def finalize(self) -> None:
        """Do nothing."""

    # Of replaying: the table of the one episode.

    @property
    def hf_dataset(self) -> Self:
        return self

    def filter(self, _: Callable[[Any], bool]) -> Self:
        return self

    def select_columns(self, name: str) -> list[dict[str, Any]]:
        return [{name: frame[name]} for frame in self.frames]

    def __len__(self) -> int:
        return len(self.frames)


def main() -> None:
    """Run one command of LeRobot as a terminal does."""
    lib, plugins, command, *options = sys.argv[1:]
    sys.path += [lib, plugins]
    sys.meta_path.insert(0, BlankModules())
    datasets = importlib.import_module("lerobot.datasets.lerobot_dataset")
    vars(datasets)["LeRobotDataset"] = JsonDataset
    sys.argv = [f"lerobot-{command}", *options]
    importlib.import_module(f"lerobot.scripts.lerobot_{command}").main()


if __name__ == "__main__":
    main()
