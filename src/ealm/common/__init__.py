"""What every package needs: settings, errors, files on disk, run loops, pools of processes."""
