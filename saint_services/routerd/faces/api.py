"""Requests about faces: reads what the router knows and calls the rules. Changes nothing."""

from ...lib.api import faces
from ...lib.api.endpoint import Nothing
from ...lib.api.faces import FaceTemplates, ProposedFace, ProposeFace
from ...lib.ipc import Api, Call
from ..logic import Router
from .proposal import listed, propose


class FacesApi:
    """Answers requests."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def add_to(self, api: Api) -> Api:
        api.bind(faces.LIST_FACE_TEMPLATES, self.list_templates)
        api.bind(faces.PROPOSE_FACE, self.propose_face)
        return api

    async def list_templates(self, _: Call[Nothing]) -> FaceTemplates:
        return listed(self._router.robot)

    async def propose_face(self, call: Call[ProposeFace]) -> ProposedFace:
        return propose(self._router.robot, call.body, self._router.routes)
