package config

// The modes of data folders. ModeBackup copies a folder, even while a server runs on it, and ModeRestore restores a
// copy.
const (
	ModeBackup  Mode = "backup"
	ModeRestore Mode = "restore"
)

// The modes that exchange data with Firebase. ModeExport writes an export, even while a server runs on the data folder,
// and ModeImport reads one.
const (
	ModeExport Mode = "export"
	ModeImport Mode = "import"
)

// The modes that move a project: ModeFromFirebase fills a data folder from exports of Firebase, and ModeToFirebase
// writes what Firebase imports, even while a server runs on the data folder.
const (
	ModeFromFirebase Mode = "migrate from-firebase"
	ModeToFirebase   Mode = "migrate to-firebase"
)

// ModeConsole requests a link to the console from the server that runs on a data folder.
const ModeConsole Mode = "console"

// The modes that show the state of the delivery of events and retry dead letters, even while a server runs on the data
// folder.
const (
	ModeEventsStatus Mode = "events status"
	ModeEventsRetry  Mode = "events retry"
)

// The modes that manage identity providers, even while a server runs on the data: ModeAddProvider adds or changes one,
// and ModeProviders lists and removes them.
const (
	ModeProviders   Mode = "providers"
	ModeAddProvider Mode = "providers add"
)

// ModeDeploy releases rules and indexes at the nodes that share a store.
const ModeDeploy Mode = "deploy"

// ModeHistory lists the versions of a document and restores one, and ModeClone copies a database as it was, beside the
// server that runs on a data folder.
const (
	ModeHistory Mode = "history"
	ModeClone   Mode = "clone"
)

// ModeStatus shows the state of the server that runs on a data folder.
const ModeStatus Mode = "status"

// offline reports whether a mode works on a data folder and runs no server.
func (m Mode) offline() bool {
	return m == ModeCredentials || m == ModeCreateCredential || m == ModeBackup || m == ModeRestore || m == ModeExport || m == ModeImport ||
		m == ModeConsole || m == ModeEventsStatus || m == ModeEventsRetry || m == ModeDeploy || m == ModeProviders || m == ModeAppCheck || m == ModeAddProvider ||
		m == ModeHistory || m == ModeClone || m == ModeFromFirebase || m == ModeToFirebase || m == ModeStatus
}

// storesShared reports whether a mode works on data in PostgreSQL too.
func (m Mode) storesShared() bool {
	return m == ModeStart || m == ModeServe || m == ModeDeploy || m.needsProject()
}

// knowsOrigin reports whether a mode uses the origin of clients.
func (m Mode) knowsOrigin() bool {
	return m == ModeServe || m == ModeCreateCredential || m == ModeAddProvider
}

// needsProject reports whether a mode that runs no server is about one project.
func (m Mode) needsProject() bool {
	return m == ModeCredentials || m == ModeCreateCredential || m == ModeExport || m == ModeImport || m == ModeProviders || m == ModeAppCheck || m == ModeAddProvider ||
		m == ModeFromFirebase || m == ModeToFirebase
}
