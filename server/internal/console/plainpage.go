package console

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"strings"
)

// plainStyle is the style of pages that stand alone: in the middle of the window, in the theme of the system.
const plainStyle = ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}" +
	"body{box-sizing:border-box;max-width:34rem;min-height:100vh;margin:0 auto;padding:18vh 20px 0;" +
	"background:light-dark(#fff,#14171a);color:light-dark(#1b2328,#e4e9ec)}" +
	"h1{margin:0 0 8px;font-size:20px}p{margin:0;color:light-dark(#52606a,#9fadb7)}" +
	"code{padding:1px 5px;border-radius:4px;background:light-dark(#eef2f3,#20262b);color:light-dark(#0b6b63,#5ccfc0)}"

// plainHead begins a plain page.
const plainHead = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">" +
	"<meta name=\"viewport\" content=\"width=device-width\">" +
	"<title>Clave</title><link rel=\"icon\" href=\"data:,\"><style>" + plainStyle + "</style>\n"

// plainPolicy is the content security policy of plain pages: nothing but their own style and an empty icon, so that the
// browser does not request one, which is refused without a session.
var plainPolicy = "default-src 'none'; style-src 'sha256-" + styleHash() + "'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// styleHash returns the hash of plainStyle for a content security policy.
func styleHash() string {
	sum := sha256.Sum256([]byte(plainStyle))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// writePlainPage responds with a page of one text. Commands in the text are set apart.
func writePlainPage(w http.ResponseWriter, status int, text string) {
	shown := html.EscapeString(text)
	for _, command := range []string{"clave console", "make bin/clave"} {
		shown = strings.ReplaceAll(shown, command, "<code>"+command+"</code>")
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", plainPolicy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// It fails only when the client has disconnected.
	_, _ = w.Write([]byte(plainHead + "<main><h1>Clave</h1>\n<p>" + shown + "</p></main>\n</html>\n"))
}
