"""What people use today for the jobs of Credence, one file per job; see bench/peers.py."""
