package config

// The modes that work on a data folder: ModeBackup copies it, also beside a server that runs on it, and ModeRestore brings
// a copy back.
const (
	ModeBackup  Mode = "backup"
	ModeRestore Mode = "restore"
)

// offline reports whether a mode works on a data folder and serves nobody.
func (m Mode) offline() bool { return m == ModeCredentials || m == ModeBackup || m == ModeRestore }
