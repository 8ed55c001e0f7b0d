package commands

import (
	"context"
	"net/http"

	"clave/server/internal/admin/cli"
	"clave/server/internal/admin/deployapi"
	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/httpx/accountkey"
	"clave/server/internal/store/release"
)

// Deploy releases the files that the command line names, or those that firebase.json names: by the administration APIs
// of a server, or to the nodes that share a store.
func Deploy(ctx context.Context, c *config.Config, o Options) (*releases.Released, error) {
	o.EnsureDefaults()
	command := &releases.Command{
		Store: c.Store, By: "clave deploy on " + datastore.HostName(), Project: o.opener(c, new(process.Components)).Files(), Files: c.Command, Database: c.Database, Clock: clock.System(), Log: o.Log,
	}
	if c.AdminURL == "" {
		return command.Deploy(ctx)
	}
	files, err := command.Read()
	if err != nil {
		return nil, err
	}
	return deployTo(ctx, c, files)
}

// deployTo releases files by the administration APIs of a server.
func deployTo(ctx context.Context, c *config.Config, files release.Files) (*releases.Released, error) {
	key, err := accountkey.Read(c.Key)
	if err != nil {
		return nil, err
	}
	if _, err := key.Origin(); err != nil {
		return nil, err
	}
	in := deployapi.Request{Files: make(map[string]deployapi.Database, len(files))}
	for id, d := range files {
		in.Files[id] = deployapi.Database{Rules: sent(d.Rules), Indexes: sent(d.Indexes)}
	}
	client := &http.Client{Transport: http.DefaultTransport}
	out := &releases.Released{}
	to := &cli.Client{URL: c.AdminURL, HTTP: client, Tokens: accountkey.NewTokens(key, client, clock.System())}
	return out, to.Call(ctx, deployapi.Path(key.Project), in, out)
}

// sent returns a file as a request has it. f may be nil.
func sent(f *release.File) *deployapi.File {
	if f == nil {
		return nil
	}
	return &deployapi.File{Name: f.Name, Text: f.Text}
}
