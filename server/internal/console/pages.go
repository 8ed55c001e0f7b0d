package console

import (
	"embed"
	"errors"
	"io/fs"
	"net/http"

	"clave/server/internal/transport/hosting"
)

// built holds the pages in dist/app, where make has built them.
//
//go:embed all:dist
var built embed.FS

// pagesSection configures the pages, in the form of firebase.json's hosting section: unknown paths are the page's own.
const pagesSection = `{
	"public": "app",
	"rewrites": [{"source": "!/assets/**", "destination": "/index.html"}],
	"headers": [
		{"source": "/assets/**", "headers": [{"key": "Cache-Control", "value": "private, max-age=31536000, immutable"}]},
		{"source": "!/assets/**", "headers": [{"key": "Cache-Control", "value": "no-cache"}]}
	]
}`

// newPages returns the handler of the built pages. If none were built, every page has a text that explains it.
func newPages() (http.Handler, error) {
	files, err := fs.Sub(built, "dist/app")
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(files, "index.html"); errors.Is(err, fs.ErrNotExist) {
		return http.HandlerFunc(serveWithoutPages), nil
	}
	section, err := hosting.Parse([]byte(pagesSection))
	if err != nil {
		return nil, err
	}
	return hosting.New(section, files, hosting.Options{}), nil
}

// serveWithoutPages serves pages in a program that was built without them.
func serveWithoutPages(w http.ResponseWriter, _ *http.Request) {
	text := "This clave was built without the console's pages, as plain go build does. make bin/clave builds them in; it needs Node and npm. The console's API answers below /api/."
	writePlainPage(w, http.StatusOK, text)
}
