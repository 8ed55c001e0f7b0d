// Package projectfiles reads, checks and watches the files of rules and indexes that firebase.json names. Its errors
// and remarks are for the operator: they name the file and the line.
package projectfiles

import (
	"io"

	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// Project is a project with the files of its databases.
type Project struct {
	// ID is the id of the project.
	ID string
	// Databases are the files of the databases that firebase.json names.
	Databases []release.Paths
	// Made are the databases that were made while the server ran; nil means none.
	Made *release.Live
	// Production is set in production, and Enforce if queries without an index fail. Without both, index files may be
	// absent or have mistakes.
	Production, Enforce bool
	// Notices receives remarks on the files.
	Notices io.Writer
}

// database returns the database of a section of firebase.json. For the default database it returns the zero Database,
// which means all.
func (p *Project) database(id string) resource.Database {
	if id == resource.DefaultDatabase {
		return resource.Database{}
	}
	return resource.Database{Project: p.ID, ID: id}
}
