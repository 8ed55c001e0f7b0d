package authz

import (
	"fmt"
	"testing"

	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

func TestLatestDenialsAreKept(t *testing.T) {
	var l Denials
	for i := range maxDenials + 7 {
		name := resource.Document{DB: resource.Database{Project: "p", ID: fmt.Sprint(i)}, Path: "users/ana/posts/x"}
		l.add(&rules.Request{Method: rules.Get, Name: name, Auth: &rules.Auth{UID: "ana"}}, &rules.Decision{Statements: []rules.Statement{{Line: i}}})
	}
	all := l.Latest()
	if len(all) != maxDenials {
		t.Fatalf("%d denials are kept, want %d", len(all), maxDenials)
	}
	for i, d := range all {
		if want := maxDenials + 6 - i; d.DB.ID != fmt.Sprint(want) || d.Lines[0] != want || d.Path != "users/*/posts/*" || d.UID != "ana" || d.Method != "get" {
			t.Errorf("denial %d is %+v, want that of database %d", i, d, want)
		}
	}
}
