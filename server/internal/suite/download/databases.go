package download

import (
	"context"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// databases returns the ids of the databases to be downloaded, the default one first, and what the report says of those
// that are not.
func (d *download) databases(ctx context.Context) (ids, skipped []string, err error) {
	if d.o.Database != "" {
		return []string{d.o.Database}, nil, nil
	}
	if d.o.Endpoints[APIAdmin] == "" {
		return []string{resource.DefaultDatabase}, []string{"databases but (default): the endpoint of firestore-admin is not named"}, nil
	}
	var list struct {
		Databases []struct {
			Name    string `json:"name"`
			Type    string `json:"type"`
			Edition string `json:"databaseEdition"`
		} `json:"databases"`
	}
	err = d.get(ctx, APIAdmin, "/v1/projects/"+d.o.Project+"/databases", nil, &list)
	if optional(err) {
		return []string{resource.DefaultDatabase}, []string{"databases but (default), if there are any: " + fault.FromError(err).Message}, nil
	}
	for _, db := range list.Databases {
		parsed, err := resource.ParseDatabase(db.Name)
		switch {
		case err != nil:
			return nil, nil, fault.Wrap(err, fault.DataLoss, "the name of a database cannot be read: %v", err)
		case db.Type == "DATASTORE_MODE":
			skipped = append(skipped, "the database "+parsed.ID+": it is in the mode of Datastore")
		default:
			if ids = append(ids, parsed.ID); db.Edition == "ENTERPRISE" {
				skipped = append(skipped, "the edition of the database "+parsed.ID+", which is Enterprise: give it in firebase.json")
			}
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, resource.DefaultDatabase), strings.TrimPrefix(b, resource.DefaultDatabase))
	})
	return ids, skipped, err
}

// optional reports whether an error says that the caller may not read something, or that a server does not have it.
func optional(err error) bool {
	return fault.Is(err, fault.PermissionDenied) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unimplemented)
}
