package firestoreadmin

import (
	"context"
	"slices"

	"clave/server/internal/admin/route"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// Documents reads and deletes documents. authz.Authorizer implements it.
type Documents interface {
	// CollectionIDs returns the ids of the collections under a document, or under the root for an empty parent.
	CollectionIDs(ctx context.Context, c token.Caller, db resource.Database, parent string, at request.At) ([]string, error)
	// Below calls yield with the names of the documents at and below a path.
	Below(ctx context.Context, c token.Caller, db resource.Database, path string, yield func(resource.Document) error) error
	Commit(ctx context.Context, c token.Caller, db resource.Database, r request.Commit) (request.CommitResult, error)
}

// bulkDelete is an operation that deletes documents.
type bulkDelete struct {
	// Collections are the ids of the collection groups.
	Collections []string `json:"collections"`
	// Deleted is the number of documents that were deleted so far.
	Deleted int64 `json:"deleted"`
}

// Limits: the collection groups that an operation names, and the documents of each commit of a bulk delete.
const (
	maxGroups  = 100
	batchWrite = 500
)

// bulkDeleteDocuments begins to delete the documents of collection groups.
func (a *API) bulkDeleteDocuments(ctx context.Context, c *route.Call) (any, error) {
	name, err := a.database(c)
	if err != nil {
		return nil, err
	}
	var in struct {
		Name         string   `json:"name"`
		Collections  []string `json:"collectionIds"`
		NamespaceIDs []string `json:"namespaceIds"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if len(in.Collections) == 0 {
		return nil, fault.E(fault.InvalidArgument, "collection_ids must name at least one collection group.")
	}
	if err := checkGroups(in.Collections, in.NamespaceIDs); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	o := &operation{Database: c.Vars["database"], By: c.By(), Delete: &bulkDelete{Collections: in.Collections}}
	if err := a.beginLocked(ctx, o); err != nil {
		return nil, err
	}
	return shownOperation(name, o), nil
}

// checkGroups checks the collection groups and the namespaces that an operation names.
func checkGroups(groups, namespaces []string) error {
	if len(namespaces) > 1 || len(namespaces) == 1 && namespaces[0] != "" && namespaces[0] != resource.DefaultDatabase {
		return fault.E(fault.InvalidArgument, "namespace_ids must be empty: databases of Cloud Firestore have no namespaces.")
	}
	if len(groups) > maxGroups {
		return fault.E(fault.InvalidArgument, "collection_ids has more than %d collection groups.", maxGroups)
	}
	for _, id := range groups {
		if id == "" {
			return fault.E(fault.InvalidArgument, "collection_ids has an empty id.")
		}
		if err := resource.CheckCollectionID(id); err != nil {
			return err
		}
	}
	return nil
}

// deleteDocuments deletes the documents of an operation. Documents that are written meanwhile may stay.
func (a *API) deleteDocuments(ctx context.Context, o *operation) error {
	db := resource.Database{Project: a.o.Project, ID: o.Database}
	caller := token.Caller{Privileged: true, Role: token.Owner, Project: a.o.Project}
	var writes []document.Write
	flush := func() error {
		if len(writes) == 0 {
			return nil
		}
		if _, err := a.o.Documents.Commit(ctx, caller, db, request.Commit{Writes: writes}); err != nil {
			return err
		}
		n := len(writes)
		writes = writes[:0]
		return a.progress(ctx, o.ID, int64(n))
	}
	roots, err := a.o.Documents.CollectionIDs(ctx, caller, db, "", request.At{})
	if err != nil {
		return err
	}
	for _, root := range roots {
		err := a.o.Documents.Below(ctx, caller, db, root, func(name resource.Document) error {
			if !slices.Contains(o.Delete.Collections, name.Collection().ID) {
				return nil
			}
			writes = append(writes, document.Write{Op: document.Delete, Name: name})
			if len(writes) < batchWrite {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
	}
	return flush()
}

// progress records that an operation has deleted more documents.
func (a *API) progress(ctx context.Context, id string, n int64) error {
	return a.advance(ctx, id, true, func(next *operation) {
		next.Delete = &bulkDelete{Collections: next.Delete.Collections, Deleted: next.Delete.Deleted + n}
	})
}

// advance records the progress of an operation that is being done, which change makes. With keep, the next start knows
// it too.
func (a *API) advance(ctx context.Context, id string, keep bool, change func(next *operation)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, o := range a.mu.operations {
		if o.ID != id {
			continue
		}
		next := *o
		change(&next)
		a.mu.operations[i] = &next
		if keep {
			return a.write(ctx, &next, nil)
		}
	}
	return nil
}
