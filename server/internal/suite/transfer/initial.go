package transfer

import (
	"context"
	"fmt"
	"io"

	"clave/server/internal/base/fault"
)

// Report prints what was imported or exported.
func Report(notices io.Writer, done string, sum Summary) {
	fmt.Fprintf(notices, "%s: %s\n", done, sum)
	for _, note := range sum.Notes {
		fmt.Fprintf(notices, "  not imported: %s\n", note)
	}
}

// Initial imports the data with which a server begins, and exports its data at the end.
type Initial struct {
	Transfer *Transfer
	// ImportDir and ExportDir are the folders; empty for none.
	ImportDir, ExportDir string
	// DataDir is the data folder, for errors.
	DataDir string
	Notices io.Writer
}

// Begin imports the data, before requests are served. It refuses a server that has data, except after an interrupted
// import, which is repeated. It returns an error too if the export at the end would fail, which would lose the data.
func (i *Initial) Begin(ctx context.Context) error {
	if i.ExportDir != "" {
		if err := CanExport(i.ExportDir); err != nil {
			return fault.Wrap(err, fault.CodeOf(err), "--export-on-exit: %s", fault.FromError(err).Message)
		}
	}
	dir, t := i.ImportDir, i.Transfer
	if dir == "" {
		return nil
	}
	// With --export-on-exit to the folder of --import there is no export yet at the first run.
	if blank, err := Blank(dir); err == nil && blank && dir == i.ExportDir {
		fmt.Fprintf(i.Notices, "%s holds no export yet: starting without data\n", dir)
		return nil
	}
	empty, err := t.Empty(ctx)
	if err != nil {
		return err
	}
	interrupted, err := Unfinished(t.o.Marker)
	if err != nil {
		return err
	}
	// After an interrupted import the data are a part of the same import, which is repeated.
	if !empty && interrupted == "" {
		return fault.E(fault.FailedPrecondition,
			"%s: there are data of project %s already. --import begins with those of its folder alone: leave --data out, name an empty folder, or add to the data with clave import.",
			i.DataDir, t.o.Project)
	}
	sum, err := t.Import(ctx, dir)
	if err != nil {
		return err
	}
	Report(i.Notices, "Imported "+dir, sum)
	return nil
}

// End writes the export at the end, after serving has stopped.
func (i *Initial) End(ctx context.Context) error {
	sum, err := i.Transfer.Export(ctx, i.ExportDir)
	if err != nil {
		return err
	}
	Report(i.Notices, "Exported to "+i.ExportDir, sum)
	return nil
}
