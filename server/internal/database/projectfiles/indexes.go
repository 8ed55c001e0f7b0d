package projectfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// Indexes reads the index files. The default database's definitions also apply to databases that firebase.json does not
// name, which start mode creates on first use; they have the zero Database.
func (p *Project) Indexes() (map[resource.Database]index.Definitions, error) {
	all := make(map[resource.Database]index.Definitions)
	var printed []string
	for _, d := range p.Databases {
		if d.IndexesFile == "" {
			continue
		}
		defs, remarks, err := readIndexes(d.IndexesFile)
		if p.toleratesIndexes(d.IndexesFile, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all[p.database(d.ID)] = defs
		if !slices.Contains(printed, d.IndexesFile) { // Several databases may have the same file.
			Print(p.Notices, remarks)
			printed = append(printed, d.IndexesFile)
		}
	}
	return all, nil
}

// Definitions returns the index definitions of released files.
func (p *Project) Definitions(files release.Files) (map[resource.Database]index.Definitions, error) {
	all := make(map[resource.Database]index.Definitions)
	for id, d := range files {
		if d.Indexes == nil {
			continue
		}
		defs, _, err := parseIndexes(d.Indexes)
		if err != nil {
			return nil, err
		}
		all[p.database(id)] = defs
	}
	return all, nil
}

// readIndexes reads the definitions of a file and the remarks on it.
func readIndexes(path string) (index.Definitions, []string, error) {
	f, err := read(path, remedyIndexes)
	if err != nil {
		return index.Definitions{}, nil, err
	}
	return parseIndexes(f)
}

// parseIndexes parses an index file. remarks are lines about members without an effect.
func parseIndexes(f *release.File) (defs index.Definitions, remarks []string, err error) {
	defs, found, err := index.ParseDefinitions(jsontree.Plain([]byte(f.Text)))
	if err != nil {
		return index.Definitions{}, nil, fault.E(fault.InvalidArgument, "%s: %s", f.Name, fault.FromError(err).Message)
	}
	return defs, found.Lines(f.Name), nil
}

// toleratesIndexes reports whether err is that of an index file without which a server in development starts: one that
// does not exist, or has a mistake that does not matter without --indexes enforce. The official emulators start, too:
// only deployments read the file. --indexes record and auto create it.
func (p *Project) toleratesIndexes(file string, err error) bool {
	switch {
	case err == nil || p.Production:
		return false
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(p.Notices, "%s, which firebase.json names, does not exist; the start continues as if it were not named\n", file)
	case !p.Enforce:
		fmt.Fprintf(p.Notices, "%s\nThe start continues without the indexes of this file\n", fault.Reason(err))
	default:
		return false
	}
	return true
}

// Print prints lines for the operator.
func Print(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}
