package grpc

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/token"
	"clave/server/internal/httpx/clientaddr"
)

// caller returns the caller of a call for the project of a name in its request.
func (d *common) caller(ctx context.Context, name string) (token.Caller, error) {
	project := projectOf(name)
	if project == "" {
		project = projectOf(prefix(ctx))
	}
	c, err := d.o.Tokens.Caller(ctx, first(ctx, "authorization"), project)
	if err == nil && !c.Privileged {
		c.Refused, err = d.o.AppCheck.Refuse(appcheck.Firestore, project, first(ctx, "x-firebase-appcheck"))
	}
	c.Address = Address(ctx, d.o.ProxyHops)
	return c, err
}

// Address returns the network address of the client of a call.
func Address(ctx context.Context, hops int) netip.Addr {
	remote := ""
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		remote = p.Addr.String()
	}
	return clientaddr.Client(remote, metadata.ValueFromIncomingContext(ctx, "x-forwarded-for"), hops)
}

// first returns the first value of a call's header.
func first(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// prefix returns the database that the headers name, projects/P/databases/D, or "".
func prefix(ctx context.Context) string {
	if p := first(ctx, "google-cloud-resource-prefix"); p != "" {
		return p
	}
	params, err := url.ParseQuery(first(ctx, "x-goog-request-params"))
	if err != nil {
		return ""
	}
	if project := params.Get("project_id"); project != "" {
		return "projects/" + project + "/databases/" + params.Get("database_id")
	}
	for _, name := range []string{"database", "parent", "name", "document.name"} {
		if v := params.Get(name); v != "" {
			return v
		}
	}
	return ""
}

// projectOf returns the project in a resource name, or "".
func projectOf(name string) string {
	after, ok := strings.CutPrefix(name, "projects/")
	if !ok {
		return ""
	}
	project, _, _ := strings.Cut(after, "/")
	return project
}
