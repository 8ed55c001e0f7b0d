package main

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/rules/ruletest"
)

// explainFlags are the flags of `clave rules explain`.
type explainFlags struct {
	request ruletest.Request
	// paths holds the path of each method.
	paths                       map[string]*string
	now, docs, recording        string
	id, server, project, folder string
	format                      string
}

// methodFlags are the methods that have a flag with a path, in the order of the help.
var methodFlags = []string{"get", "list", "create", "update", "set", "delete"}

// rulesExplainCommand returns `clave rules explain`.
func rulesExplainCommand(s streams) *cobra.Command {
	f := &explainFlags{paths: make(map[string]*string)}
	cmd := &cobra.Command{
		Use: "explain [FILE] [--as uid:ID] --get PATH [flags]", Short: "Explain why rules allow or deny a request",
		Long: "Decides a request by a rules file (default: firestore.rules) and prints each evaluated expression with its value, the documents that\n" +
			"the rules read, the cost, and the line that decided. Documents come from --docs, a running server, or an export. Fields are plain\n" +
			"JSON; values of other types have the REST form, such as {\"timestampValue\": \"now\"}.",
		Example: "  clave rules explain --as uid:ann --get /docs/a --docs '{\"docs/a\": {\"owner\": \"eve\"}}'\n" +
			"  clave rules explain --as ann --claims '{\"admin\": true}' --update /docs/a --data '{\"title\": \"x\"}' --server 127.0.0.1:8080\n" +
			"  clave rules explain --list docs --where 'owner == \"ann\"' --as ann --format html > why.html\n" +
			"  clave rules explain --case recording.jsonl --id 'get docs/a #12'",
		Args: words(0, 1, "give one rules file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			return f.run(cmd.Context(), strings.Join(files, ""), s)
		},
	}
	flags := cmd.Flags()
	for _, method := range methodFlags {
		what := "document"
		if method == "list" {
			what = "collection"
		}
		f.paths[method] = flags.String(method, "", "explain a "+method+" of the "+what+" at `PATH`")
	}
	flags.StringVar(&f.request.As, "as", "", "`uid:ID` of the user (default: nobody is signed in)")
	flags.StringVar(&f.request.Claims, "claims", "", "further claims of the user's token, as `JSON`")
	flags.StringVar(&f.request.Data, "data", "{}", "fields to write, as `JSON`; an update leaves others as they are")
	flags.StringArrayVar(&f.request.Where, "where", nil, "`CONDITION` of a list, such as 'owner == \"ann\"'; repeatable")
	flags.StringArrayVar(&f.request.Order, "order", nil, "`FIELD` that orders a list, such as 'created desc'; repeatable")
	flags.IntVar(&f.request.Limit, "limit", 0, "limit of a list, a `NUMBER`")
	flags.BoolVar(&f.request.Group, "group", false, "list all collections of that name")
	flags.StringVar(&f.now, "now", "", "`TIME` of the request, such as 2026-01-02T03:04:05Z (default: now)")
	flags.StringVar(&f.docs, "docs", "", "documents before the request: `JSON` of fields by path, or a file of it")
	flags.StringVar(&f.server, "server", "", "`HOST:PORT` of a running clave start, whose documents count")
	flags.StringVar(&f.project, "project", "demo-project", "`PROJECT` of --server or --import")
	flags.StringVar(&f.folder, "import", "", "`FOLDER` of an export, whose documents count")
	flags.StringVar(&f.recording, "case", "", "`FILE` of recorded requests, of which --id is explained")
	flags.StringVar(&f.id, "id", "", "`ID` of a request in --case (default: the first)")
	flags.StringVar(&f.format, "format", "text", "`FORMAT`: text, json or html")
	return cmd
}

// run explains a request by a rules file.
func (f *explainFlags) run(ctx context.Context, file string, s streams) error {
	c, err := f.caseOf()
	if err != nil {
		return err
	}
	r, err := ruletest.CompileFile(file)
	if err != nil {
		return err
	}
	if f.folder == "" {
		return ruletest.Explain(ctx, s.out, r, c, f.fetch(f.server), f.format)
	}
	return withImport(ctx, f.folder, f.project, s, func(ctx context.Context, address string) error {
		return ruletest.Explain(ctx, s.out, r, c, f.fetch(address), f.format)
	})
}

// fetch returns the source of documents at an address; none if it is empty.
func (f *explainFlags) fetch(address string) ruletest.Fetch {
	if address == "" {
		return nil
	}
	return ruletest.FetchFrom(address, f.project)
}

// caseOf returns the request that the flags describe.
func (f *explainFlags) caseOf() (*ruletest.Case, error) {
	for _, method := range methodFlags {
		if path := *f.paths[method]; path != "" {
			if f.request.Method != "" {
				return nil, usageError("clave rules explain: --%s and --%s: give one request", f.request.Method, method)
			}
			f.request.Method, f.request.Path = method, path
		}
	}
	if f.recording != "" {
		return recordedCase(f.recording, f.id)
	}
	if f.request.Method == "" {
		return nil, usageError("clave rules explain: give a request, such as --get /docs/a")
	}
	f.request.Now = clock.System().Now().Truncate(time.Millisecond)
	if f.now != "" {
		at, err := time.Parse(time.RFC3339Nano, f.now)
		if err != nil {
			return nil, usageError("--now %s: expected a time such as 2026-01-02T03:04:05Z", f.now)
		}
		f.request.Now = at
	}
	f.request.Docs = f.docs
	if f.docs != "" && !strings.HasPrefix(strings.TrimSpace(f.docs), "{") {
		text, err := os.ReadFile(f.docs)
		if err != nil {
			return nil, fault.Wrap(err, fault.NotFound, "--docs: %s", err)
		}
		f.request.Docs = string(text)
	}
	return f.request.Case()
}

// recordedCase returns a case of a file.
func recordedCase(file, id string) (*ruletest.Case, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "--case: %s", err)
	}
	defer func() { _ = in.Close() }() // a read
	cases, err := ruletest.ReadCases(in)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "--case %s: %s", file, err)
	}
	for i := range cases {
		if id == "" || cases[i].ID == id {
			return &cases[i], nil
		}
	}
	return nil, fault.E(fault.NotFound, "--case %s has no request %q", file, cmp.Or(id, "at all"))
}

// withImport starts a server in memory with the documents of an export, and runs a function with its address.
func withImport(ctx context.Context, folder, project string, s streams, run func(ctx context.Context, address string) error) error {
	c, err := config.Parse(config.ModeStart, []string{"--memory", "--import", folder, "--project", project, "--only", "firestore"}, func(string) string { return "" }, s.err)
	if err != nil {
		return err
	}
	c.Ports, c.UI = config.Ports{}, false
	a, err := app.New(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.err})
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- a.Run(serving, func() { close(ready) }) }()
	select {
	case err := <-ended:
		return err
	case <-ready:
	}
	err = run(ctx, a.Addresses().Firestore)
	stop()
	return cmp.Or(err, <-ended)
}
