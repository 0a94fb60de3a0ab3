"""Many tables on a real server over real WebSockets: how fast, at what cost, and whether anything was lost."""
