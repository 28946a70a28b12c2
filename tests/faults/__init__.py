"""Every writer of files, killed or failing at each call."""
