package rest

import (
	"strings"
	"testing"

	"clave/server/internal/transport/calls"
)

func TestParseTarget(t *testing.T) {
	const root = "/v1/projects/p/databases/(default)/documents"
	tests := []struct{ method, path, want string }{ // want: call, then segments; "" is a plain 404
		{"GET", root + "/c/d", "GetDocument c d"},
		{"GET", "/v1/projects/p/databases/%28default%29/documents/c/d", "GetDocument c d"},
		{"GET", root + "/c/a%2Fb", "ListDocuments c a b"},
		{"GET", root + "/c/a:b", "GetDocument c a:b"},
		{"GET", root + "/c", "ListDocuments c"},
		{"GET", root + "/c/d/e", "ListDocuments c d e"},
		{"POST", root + "/c", "CreateDocument c"},
		{"PATCH", root + "/c/d", "UpdateDocument c d"},
		{"PATCH", root + "/c", "UpdateDocument c"},
		{"DELETE", root + "/c", "DeleteDocument c"},
		{"POST", root + ":commit", "Commit"},
		{"POST", root + ":runQuery", "RunQuery"},
		{"POST", root + "/c/d:runQuery", "RunQuery c d"},
		{"POST", root + "/c/d:listCollectionIds", "ListCollectionIds c d"},
		{"POST", root + "/c/d:commit", ""},
		{"POST", root + "/c:runQuery", "RunQuery c"},
		{"POST", root + ":doSomething", ""},
		{"GET", root + ":commit", ""},
		{"PUT", root + "/c/d", ""},
		{"POST", root + "/c/d", "CreateDocument c d"},
		{"GET", "/v1beta1/projects/p/databases/(default)/documents/c/d", "GetDocument c d"},
		{"GET", root, ""},
		{"GET", root + "/c/", "GetDocument c "},
		{"GET", root + "//d", "GetDocument  d"},
		{"GET", root + "/c/%zz", ""},
		{"GET", "/v1/projects/p/databases/d", ""},
		{"GET", "/v1/projects//databases/d/documents/c/d", ""},
		{"GET", "/v2/projects/p/databases/d/documents/c/d", ""},
	}
	for _, tt := range tests {
		target, ok := parseTarget(tt.method, tt.path)
		got := ""
		if ok {
			got = strings.Join(append([]string{target.method}, target.segments...), " ")
		}
		if got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.path, got, tt.want)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("POST", "/v1/projects/p/databases/(default)/documents/c/d:runQuery")
	f.Fuzz(func(t *testing.T, method, path string) {
		target, ok := parseTarget(method, path)
		if _, known := calls.ByName[target.method]; ok && !known {
			t.Errorf("%s %s names the unknown call %q", method, path, target.method)
		}
	})
}
