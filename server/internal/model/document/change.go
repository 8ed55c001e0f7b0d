package document

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
)

// Change is the change of one document by a commit. A nil side means absent.
type Change struct {
	Name          resource.Document
	Before, After *Document
}

// Commit is one commit of a database, with the changes of its documents in the order of names.
type Commit struct {
	Version clock.Version
	Changes []Change
}
