"""The jobs, by name, in the order of the table."""

from . import ece, ece_true, isotonic, matrix_map, temperature

JOBS = {
    job.name: job for job in (temperature.job, matrix_map.job, isotonic.job, ece.job, ece_true.job)
}
