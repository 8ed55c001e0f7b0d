package production

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/test/kit/program"

	"clave/server/test/e2e/harness"
)

// signupCode is the sign-up code of administrators in these tests.
const signupCode = "clave de sol y de fa"

// startBackOffice runs the back office on a port, with its own environment, until stop is called or the test ends. It
// returns the output from the line that reports readiness.
func startBackOffice(t *testing.T, port int, env []string, flags ...string) (out *bufio.Scanner, stop func()) {
	t.Helper()
	program, err := program.BackOffice()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append(flags, "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--proxy-hops", "1")...)
	cmd.Env, cmd.Stderr = append(env, "PATH="+os.Getenv("PATH")), t.Output()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out = bufio.NewScanner(pipe)
	if !out.Scan() || !strings.HasPrefix(out.Text(), "Back office ready on ") {
		t.Fatalf("the back office printed %q: %v", out.Text(), cmd.Wait())
	}
	stop = sync.OnceFunc(func() {
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, pipe)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the back office ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return out, stop
}

// TestTheBackOfficeNeedsNoLibraries checks that the program is static: its image holds no C library. Without the build
// tag nodynamic, the encoder of pictures makes it dynamic.
func TestTheBackOfficeNeedsNoLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs of other systems use the system's libraries")
	}
	path, err := program.BackOffice()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			t.Errorf("%s is started by a dynamic linker", path)
		}
	}
	// The error of a file without symbols of libraries is that of a static program.
	if names, err := file.ImportedLibraries(); err == nil && len(names) > 0 {
		t.Errorf("%s needs %v", path, names)
	}
}

// serveWithBackOffice runs `clave serve` as serve does, with the back office behind it, which has its own key.
func serveWithBackOffice(t *testing.T, dir string, secure bool) *harness.Production {
	t.Helper()
	harness.CreateKey(t, dir, "backoffice")
	port := harness.FreePorts(t, 1)[0]
	p := harness.Serve(t, dir, secure, "--service", fmt.Sprintf("backoffice=http://127.0.0.1:%d", port))
	env := []string{"ADMIN_SIGNUP_CODE=" + signupCode}
	if secure {
		env = append(env, "SSL_CERT_FILE="+filepath.Join(dir, "cert.pem"))
	}
	_, p.StopBackOffice = startBackOffice(t, port, env, "--project", harness.RealProject, "--server", p.URL, "--credentials", filepath.Join(dir, "backoffice.json"))
	return p
}

// TestServeMakesAdministrators signs an administrator up with the sign-up code through the back office behind `clave
// serve`.
func TestServeMakesAdministrators(t *testing.T) {
	for _, secure := range []bool{false, true} {
		dir := harness.ProductionFolder(t)
		key := harness.CreateKey(t, dir, "auditor")
		p := serveWithBackOffice(t, dir, secure)
		if code, _ := p.Request(t, http.MethodPost, "/api/admin/codigo", "", map[string]any{"code": "demo-codigo-fundacion"}); code != http.StatusForbidden {
			t.Errorf("secure %v: a wrong code answers %d, want 403", secure, code)
		}
		ticket := p.Call(t, "/api/admin/codigo", map[string]any{"code": signupCode})
		made := p.Call(t, "/api/admin/registro", map[string]any{
			"ticket": ticket["ticket"], "firstName": "Ana", "lastName": "Gil", "email": "ana@example.org", "password": "secreta1",
		})
		signedIn := p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
		if signedIn["localId"] != made["uid"] {
			t.Errorf("secure %v: the administrator %v signs in as %v", secure, made["uid"], signedIn["localId"])
		}
		if secure {
			_, documents := p.Admin(t, key)
			d, err := documents.Doc("adminusers/" + text(t, made, "uid")).Get(t.Context())
			if err != nil || d.Data()["role"] != "admin" || d.Data()["active"] != true {
				t.Errorf("the administrator's record is %v, %v", d, err)
			}
		}
		p.StopBackOffice()
		if code, _ := p.Request(t, http.MethodPost, "/api/admin/codigo", "", map[string]any{"code": signupCode}); code != http.StatusBadGateway {
			t.Errorf("secure %v: without the back office the code answers %d, want 502", secure, code)
		}
		p.Stop(t)
	}
}

// TestStartWithABackOffice runs both programs as `make start` does. The back office loads the demo data, and the site's
// port forwards its paths to it. Without --service these paths answer 501.
func TestStartWithABackOffice(t *testing.T) {
	p := harness.FreePorts(t, 6)
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(`{
		"hosting": {"public": "site", "rewrites": [{"source": "/api/admin/**", "run": {"serviceId": "backoffice"}}]},
		"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}, "hub": {"port": %d}}}`, p[0], p[1], p[2], p[3], p[4]))
	site := fmt.Sprintf("http://127.0.0.1:%d", p[3])
	first, _ := harness.StartProgram(t, dir, "--memory", "--project", "demo-e2e")
	if code, text := harness.Plain(t, http.MethodPost, site+"/api/admin/codigo", `{"code":"x"}`); code != http.StatusNotImplemented || !strings.Contains(text, "--service backoffice=URL") {
		t.Errorf("without --service: %d %q, want 501", code, text)
	}
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	seed, err := filepath.Abs("../../../emulator-config")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := startBackOffice(t, p[5], []string{
		"ADMIN_SIGNUP_CODE=" + signupCode, "GCLOUD_PROJECT=demo-e2e",
		fmt.Sprintf("FIRESTORE_EMULATOR_HOST=127.0.0.1:%d", p[0]), fmt.Sprintf("FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:%d", p[2]),
	}, "--seed", seed) // starts before its server and waits for it
	harness.StartProgram(t, dir, "--memory", "--project", "demo-e2e", "--service", fmt.Sprintf("backoffice=http://127.0.0.1:%d", p[5]))
	if !out.Scan() || !strings.HasPrefix(out.Text(), "Demo data loaded: ") {
		t.Fatalf("the back office printed %q, want that the demo data are loaded", out.Text())
	}
	if code, answer := harness.Rest(t, p[0], http.MethodGet, "/MusicEvent?pageSize=1", ""); code != 200 || answer["documents"] == nil {
		t.Errorf("the demo data: %d %v", code, answer)
	}
	code, text := harness.Plain(t, http.MethodPost, site+"/api/admin/codigo", `{"code":"`+signupCode+`"}`)
	var ticket struct{ Ticket string }
	if err := json.Unmarshal([]byte(text), &ticket); err != nil || code != 200 || ticket.Ticket == "" {
		t.Errorf("the code through the site's port: %d %q", code, text)
	}
}
