package grpcd

import (
	"context"
	"net/url"
	"strings"

	"google.golang.org/grpc/metadata"

	"clave/server/token"
	pb "clave/server/wire/firestorepb"
)

// caller tells who makes a call to the project of a request.
func (d *door) caller(ctx context.Context, request any) (token.Caller, error) {
	project := projectOf(requestName(request))
	if project == "" {
		project = projectOf(prefix(ctx))
	}
	return d.o.Tokens.Caller(ctx, first(ctx, "authorization"), project)
}

// first returns the first value of a call's header.
func first(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// prefix returns the database that the headers name, projects/P/databases/D, or nothing.
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

// requestName returns the name of a database or a document in a request.
func requestName(request any) string {
	switch r := request.(type) {
	case interface{ GetDatabase() string }:
		return r.GetDatabase()
	case interface{ GetParent() string }:
		return r.GetParent()
	case interface{ GetName() string }:
		return r.GetName()
	case *pb.UpdateDocumentRequest:
		return r.GetDocument().GetName()
	default:
		return ""
	}
}

// projectOf returns the project in a resource name, or nothing.
func projectOf(name string) string {
	after, ok := strings.CutPrefix(name, "projects/")
	if !ok {
		return ""
	}
	project, _, _ := strings.Cut(after, "/")
	return project
}
