package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/release"
)

// clusterCommand returns `clave cluster`.
func clusterCommand(s streams) *cobra.Command {
	cmd := group(s, "cluster COMMAND", "Show the nodes that share their data in PostgreSQL", clusterStatusCommand(s))
	cmd.GroupID = groupTools
	return cmd
}

// clusterStatusCommand returns `clave cluster status`.
func clusterStatusCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status [--store URL]", Short: "Show the leader and the position of each node",
		Long: "Shows the leader, the state of the log in PostgreSQL, the released rules and indexes, and the position of each node that reported\n" +
			"in the last minute. Exits with 1 if no node leads.",
		Args: words(0, 0, "takes no arguments, only --store"),
	}
	url := cmd.Flags().String("store", "", "`URL` of PostgreSQL (default: CLAVE_STORE)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at := cmp.Or(*url, os.Getenv("CLAVE_STORE"))
		if at == "" {
			return usageError("clave cluster status: give the URL of PostgreSQL with --store or in CLAVE_STORE")
		}
		return clusterStatus(cmd.Context(), at, s.out)
	}
	return cmd
}

// releaseLine describes a release in one line.
func releaseLine(r *release.Release) string {
	if r.Version == 0 {
		return "none yet"
	}
	var files []string
	for _, id := range slices.Sorted(maps.Keys(r.Files)) {
		for _, f := range []*release.File{r.Files[id].Rules, r.Files[id].Indexes} {
			if f != nil {
				files = append(files, id+" "+filepath.Base(f.Name))
			}
		}
	}
	return fmt.Sprintf("%d (%s) of %s by %s: %s", r.Version, r.Digest(), r.Time.Format(time.RFC3339), r.By, strings.Join(files, ", "))
}

// clusterStatus prints the state of the cluster at a URL.
func clusterStatus(ctx context.Context, url string, w io.Writer) error {
	st, released, err := commands.ClusterStatus(ctx, url)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	leader := cmp.Or(st.Leader, "none yet")
	if !st.Held {
		leader = "none; last " + leader
	}
	fmt.Fprintf(table, "Leader\t%s\t%s\n", leader, st.Address)
	fmt.Fprintf(table, "Epoch\t%d\n", st.Epoch)
	fmt.Fprintf(table, "Log\t%d to %d\t%d KiB\n", st.First, st.Log, st.LogBytes>>10)
	fmt.Fprintf(table, "State\t%d, %d behind\t%d KiB\n", st.State, st.Log-st.State, st.StateBytes>>10)
	fmt.Fprintf(table, "Versions\treserved until %s\n", st.VersionsUntil.Format(time.RFC3339Nano))
	fmt.Fprintf(table, "Release\t%s\n\n", releaseLine(released))
	fmt.Fprint(table, "NODE\tROLE\tROW\tBEHIND\tREPORTED\tADDRESS\n")
	for _, n := range st.Nodes {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%v ago\t%s\n", n.Name, n.Role, n.Seq, max(st.Log-n.Seq, 0), n.Age.Round(100*time.Millisecond), n.Address)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if !st.Held {
		return fault.E(fault.Unavailable, "no node leads")
	}
	return nil
}
