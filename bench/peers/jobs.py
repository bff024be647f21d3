"""The jobs, by name, in the order of the table."""

from . import applying, ece, ece_true, intake, isotonic, matrix_map, temperature

JOBS = {
    job.name: job
    for job in (
        intake.logits,
        intake.probs,
        temperature.job,
        matrix_map.job,
        isotonic.job,
        applying.job,
        ece.job,
        ece_true.job,
    )
}
