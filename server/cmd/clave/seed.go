package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/accountkey"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/seed"
)

// keyTimeout is the time limit of a request for an access token.
const keyTimeout = 30 * time.Second

// seedFlags are the flags of the commands on seeds.
type seedFlags struct {
	firestore, auth, project, database, key, format string
	prune                                           bool
}

// seedCommand returns `clave seed`.
func seedCommand(s streams) *cobra.Command {
	cmd := group(s, "seed COMMAND", "Bring a project to the state that files describe, and compare it",
		seedApplyCommand(s), seedDiffCommand(s), seedSnapshotCommand(s, "snapshot", "Keep the documents of a running clave start under a name"),
		seedSnapshotCommand(s, "restore", "Restore the documents that were kept under a name"))
	cmd.GroupID = groupData
	cmd.Long = "Brings the documents and accounts of a project to the state that files of JSON, YAML, JavaScript or TypeScript describe. Works with\n" +
		"clave start, with the official emulators, and with --key on a clave serve."
	return cmd
}

// declareTarget declares the flags that name a project of a running server.
func (f *seedFlags) declareTarget(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.firestore, "firestore", "", "`HOST:PORT` of Firestore (default: FIRESTORE_EMULATOR_HOST, or the port of firebase.json)")
	flags.StringVar(&f.project, "project", "", "`PROJECT` (default: GCLOUD_PROJECT, or that of firebase.json)")
}

// declare declares the flags that apply and diff share.
func (f *seedFlags) declare(cmd *cobra.Command) {
	f.declareTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.auth, "auth", "", "`HOST:PORT` of Authentication (default: FIREBASE_AUTH_EMULATOR_HOST, or the port of firebase.json)")
	flags.StringVar(&f.database, "database", resource.DefaultDatabase, "`DATABASE` of the documents")
	flags.StringVar(&f.key, "key", "", "key `FILE` of a service account: use the server of production for which clave credentials created it")
	flags.BoolVar(&f.prune, "prune", false, "also delete documents that the seed does not have, from its collections, and accounts beside those of the seed")
	flags.StringVar(&f.format, "format", "text", "`FORMAT`: text or json")
}

// seedApplyCommand returns `clave seed apply`.
func seedApplyCommand(s streams) *cobra.Command {
	f := &seedFlags{}
	cmd := &cobra.Command{
		Use: "apply FILE… [flags]", Short: "Write what differs between seeds and a project",
		Long: "Writes the documents and accounts of seeds that a project lacks or has otherwise; what is the same is not written. FILE is JSON, YAML,\n" +
			"or a module of JavaScript or TypeScript, which node evaluates; - reads JSON from standard input.",
		Example: "  clave seed apply seed.yaml\n  clave seed apply base.json seed.ts --prune\n  clave seed apply seed.yaml --key deploy.json",
		Args:    words(1, 1000, "name the files of seeds"),
		RunE: func(cmd *cobra.Command, files []string) error {
			target, found, err := f.compare(cmd.Context(), files, s)
			if err != nil {
				return err
			}
			if err := seed.Apply(cmd.Context(), target, found); err != nil {
				return err
			}
			return f.print(found, s.out, fmt.Sprintf("%s written to %s", counted(len(found), "difference"), target))
		},
	}
	f.declare(cmd)
	return cmd
}

// seedDiffCommand returns `clave seed diff`.
func seedDiffCommand(s streams) *cobra.Command {
	f := &seedFlags{}
	cmd := &cobra.Command{
		Use: "diff FILE… [flags]", Short: "Print what differs between seeds and a project",
		Long: "Prints which documents and accounts of seeds a project lacks or has otherwise, with the members that differ, and exits with code 1 if\n" +
			"there are some. Nothing is written.",
		Example: "  clave seed diff seed.yaml\n  clave seed diff seed.yaml --prune --format json --key viewer.json",
		Args:    words(1, 1000, "name the files of seeds"),
		RunE: func(cmd *cobra.Command, files []string) error {
			target, found, err := f.compare(cmd.Context(), files, s)
			if err != nil {
				return err
			}
			if err := f.print(found, s.out, counted(len(found), "difference")+" from "+target.String()); err != nil || len(found) == 0 {
				return err
			}
			return exit(exitFailure, nil)
		},
	}
	f.declare(cmd)
	return cmd
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// print prints differences.
func (f *seedFlags) print(found []*seed.Difference, out io.Writer, summary string) error {
	if f.format == "json" {
		return seed.PrintJSON(out, found)
	}
	seed.Print(out, found)
	_, err := fmt.Fprintln(out, summary)
	return err
}

// compare reads seeds and compares them with the project that the flags name. It returns the project and what differs.
func (f *seedFlags) compare(ctx context.Context, files []string, s streams) (*seed.Target, []*seed.Difference, error) {
	if f.format != "text" && f.format != "json" {
		return nil, nil, usageError("--format %s: the formats are text and json", f.format)
	}
	target, err := f.target()
	if err != nil {
		return nil, nil, err
	}
	found, err := compareSeeds(ctx, target, files, f.prune, s)
	return target, found, err
}

// compareSeeds reads seeds and compares them with a project.
func compareSeeds(ctx context.Context, target *seed.Target, files []string, prune bool, s streams) ([]*seed.Difference, error) {
	sources, err := readSeeds(ctx, files, s)
	if err != nil {
		return nil, err
	}
	all, err := seed.Load(sources, seed.Options{DB: target.DB, Now: target.Now(ctx)})
	if err != nil {
		return nil, err
	}
	for _, note := range all.Dangling {
		fmt.Fprintln(s.err, "Note: "+note)
	}
	return seed.Compare(ctx, target, all, prune)
}

// readSeeds reads the files of seeds; - is JSON of standard input.
func readSeeds(ctx context.Context, files []string, s streams) (out []seed.Source, err error) {
	for _, name := range files {
		var some []seed.Source
		if name == "-" {
			some, err = seed.ReadValue("standard input", os.Stdin)
		} else {
			some, err = seed.Read(ctx, []string{name}, s.err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// target returns the project that the flags name, else the environment, else firebase.json.
func (f *seedFlags) target() (*seed.Target, error) {
	if f.key != "" {
		return f.production()
	}
	at, err := f.emulator()
	if err != nil {
		return nil, err
	}
	db, err := resource.ParseDatabase("projects/" + f.project + "/databases/" + f.database)
	if err != nil {
		return nil, usageError("--project %s --database %s: %v", f.project, f.database, err)
	}
	return seed.Emulator(at, f.auth, db), nil
}

// emulator completes the flags about emulators, and returns the address of Firestore.
func (f *seedFlags) emulator() (string, error) {
	for _, one := range []struct {
		flag      *string
		variables []string
	}{
		{&f.firestore, []string{"FIRESTORE_EMULATOR_HOST"}}, {&f.auth, []string{"FIREBASE_AUTH_EMULATOR_HOST"}}, {&f.project, []string{"GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT"}},
	} {
		for _, name := range one.variables {
			if *one.flag == "" {
				*one.flag = os.Getenv(name)
			}
		}
	}
	if f.firestore != "" && f.auth != "" && f.project != "" {
		return f.firestore, nil
	}
	c, err := config.Parse(config.ModeStart, []string{"--memory"}, os.Getenv, io.Discard)
	if c == nil {
		return "", err
	}
	for _, one := range []struct {
		flag  *string
		value string
	}{
		{&f.firestore, fmt.Sprintf("127.0.0.1:%d", c.Ports.Firestore)}, {&f.auth, fmt.Sprintf("127.0.0.1:%d", c.Ports.Auth)}, {&f.project, c.Project},
	} {
		if *one.flag == "" {
			*one.flag = one.value
		}
	}
	return f.firestore, nil
}

// production returns the project of a key, at the server for which the key was created.
func (f *seedFlags) production() (*seed.Target, error) {
	if f.firestore != "" || f.auth != "" {
		return nil, usageError("--key names its server; leave out --firestore and --auth")
	}
	key, err := accountkey.Read(f.key)
	if err != nil {
		return nil, err
	}
	origin, err := key.Origin()
	if err != nil {
		return nil, err
	}
	if f.project != "" && f.project != key.Project {
		return nil, usageError("--project %s: the key is for the project %s", f.project, key.Project)
	}
	db, err := resource.ParseDatabase("projects/" + key.Project + "/databases/" + f.database)
	if err != nil {
		return nil, usageError("--database %s: %v", f.database, err)
	}
	tokens := accountkey.NewTokens(key, &http.Client{Timeout: keyTimeout}, clock.System())
	return &seed.Target{Firestore: origin, Auth: origin, DB: db, Token: tokens.Get}, nil
}

// applySeeds applies the seeds of a configuration to the server that runs with it.
func applySeeds(ctx context.Context, c *config.Config, firestore, auth string, s streams) error {
	if len(c.Seeds) == 0 {
		return nil
	}
	if firestore == "" {
		return fault.E(fault.FailedPrecondition, "--seed: Firestore does not run")
	}
	db, err := resource.ParseDatabase("projects/" + c.Project + "/databases/" + resource.DefaultDatabase)
	if err != nil {
		return err
	}
	if auth != "" {
		auth = reachable(auth)
	}
	target := seed.Emulator(reachable(firestore), auth, db)
	found, err := compareSeeds(ctx, target, c.Seeds, false, s)
	if err != nil {
		return err
	}
	return seed.Apply(ctx, target, found)
}

// seedSnapshotCommand returns `clave seed snapshot` or `clave seed restore`.
func seedSnapshotCommand(s streams, verb, short string) *cobra.Command {
	f := &seedFlags{database: resource.DefaultDatabase}
	cmd := &cobra.Command{
		Use: verb + " NAME [flags]", Short: short,
		Long: short + ". A running clave start keeps the states of all databases of a project\n" +
			"in memory, without accounts, until it ends; at most 50 with names. A name that is used again replaces the earlier state.",
		Example: "  clave seed snapshot before\n  clave seed restore before",
		Args:    words(1, 1, "give one name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := f.target()
			if err != nil {
				return err
			}
			if err := target.Snapshot(cmd.Context(), verb, args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.out, "%s: %s %s\n", target, verb, strings.TrimSpace(args[0]))
			return err
		},
	}
	f.declareTarget(cmd)
	return cmd
}
