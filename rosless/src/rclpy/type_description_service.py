"""The service `~/get_type_description` of newer releases, which rosless has not."""

from .absent import Absent

START_TYPE_DESCRIPTION_SERVICE_PARAM = 'start_type_description_service'


class TypeDescriptionService(Absent):
    """Tells others what types look like."""

    why = 'type descriptions came after Humble; `ros2 interface show` reads the texts'
