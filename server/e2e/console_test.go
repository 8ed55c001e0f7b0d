package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"
)

// consoleLink has the program print a link to the console of the server that runs in a folder.
func consoleLink(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	cmd := command(t, dir, append([]string{"console"}, flags...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("clave console: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// read returns what a client's GET is answered.
func read(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// TestConsoleOfDevelopment opens the console of clave start, where the hub and clave console say that it is.
func TestConsoleOfDevelopment(t *testing.T) {
	dir, port := projectFolder(t, nil)
	startProgram(t, dir)
	url := consoleLink(t, dir)
	res, _ := read(t, http.DefaultClient, url)
	if !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") || res.StatusCode != http.StatusOK {
		t.Errorf("the console's page: %s with policy %q", res.Status, res.Header.Get("Content-Security-Policy"))
	}
	_, text := read(t, http.DefaultClient, url+"api/session")
	var session struct {
		Mode, Project string
		Write         bool
		Addresses     struct{ Firestore, Hub string }
	}
	if err := json.Unmarshal([]byte(text), &session); err != nil || !session.Write || session.Mode != "start" || session.Addresses.Firestore != fmt.Sprintf("127.0.0.1:%d", port) {
		t.Fatalf("the session is %s, %v", text, err)
	}
	if _, text = read(t, http.DefaultClient, "http://"+session.Addresses.Hub+"/emulators"); !strings.Contains(text, `"name": "ui"`) {
		t.Errorf("the hub lists %s, want ui among them", text)
	}
	off, _ := projectFolder(t, nil)
	startProgram(t, off, "--ui=false")
	if out, err := command(t, off, "console").CombinedOutput(); err == nil || !strings.Contains(string(out), "no server with a console runs on this data folder") {
		t.Errorf("clave console without one: %v, %s", err, out)
	}
}

// TestConsoleOfProduction opens sessions of clave serve, on this machine without TLS and for others with it.
func TestConsoleOfProduction(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} {
		dir := productionFolder(t)
		port := freePorts(t, 1)[0]
		p := serve(t, dir, true, "--console", fmt.Sprintf("%s:%d", host, port), "--data", filepath.Join(dir, "d"))
		scheme := map[string]string{"127.0.0.1": "http", "0.0.0.0": "https"}[host]
		origin := fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
		if res, _ := read(t, p.client, origin+"/api/session"); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: without a session: %s, want 401", host, res.Status)
		}
		if res, _ := read(t, p.client, p.url+"/api/session"); res.StatusCode == http.StatusOK {
			t.Errorf("%s: the public origin answers the console's API", host)
		}
		for _, write := range []bool{false, true} {
			link := consoleLink(t, dir, "--data", filepath.Join(dir, "d"), fmt.Sprintf("--write=%t", write))
			if !strings.HasPrefix(link, origin+"/?link=") {
				t.Fatalf("%s: the link is %q, want it at %s", host, link, origin)
			}
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			browser := &http.Client{Transport: p.client.Transport, Jar: jar}
			if res, text := read(t, browser, link); res.StatusCode != http.StatusOK {
				t.Fatalf("%s: the link: %s %s", host, res.Status, text)
			}
			if _, text := read(t, browser, origin+"/api/session"); !strings.Contains(text, fmt.Sprintf(`"write":%t`, write)) || !strings.Contains(text, `"mode":"serve"`) {
				t.Errorf("%s: the session is %s, want write %t", host, text, write)
			}
			bare := &http.Client{Transport: p.client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			res, _ := read(t, bare, consoleLink(t, dir, "--data", filepath.Join(dir, "d")))
			if c := res.Cookies(); len(c) != 1 || c[0].Secure != (scheme == "https") || strings.HasPrefix(c[0].Name, "__Host-") != c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
				t.Errorf("%s: the cookie is %v", host, c)
			}
		}
		p.stop(t)
	}
}
