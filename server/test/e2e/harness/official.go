package harness

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// officialJars lists the usual places of the official emulator's jar.
var officialJars = []string{
	"/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
	"~/.cache/firebase/emulators/cloud-firestore-emulator-*.jar",
}

// StartOfficialEmulator starts the official Firestore emulator with additional flags. If it is not installed, the test
// is skipped.
func StartOfficialEmulator(t *testing.T, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short mode: the official emulator takes seconds to start")
	}
	jar := officialJar(t)
	port := fmt.Sprint(FreePorts(t, 1)[0])
	host := "127.0.0.1:" + port
	// It runs for seconds: compilers of optimized code and parallel collectors would take more time than they save.
	args := []string{"-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.language=en", "-cp", jar,
		"com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1", "--port=" + port}
	cmd := exec.CommandContext(t.Context(), "java", append(args, flags...)...)
	if err := cmd.Start(); err != nil {
		t.Skipf("skipped: the official emulator needs java: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		if res, err := http.Get("http://" + host + "/"); err == nil {
			_ = res.Body.Close()
			return host
		}
		<-tick.C
	}
	t.Fatal("the official emulator did not start within a minute")
	return ""
}

// officialJar returns the official emulator's jar. If there is none, the test is skipped.
func officialJar(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	for _, pattern := range append([]string{os.Getenv("CLAVE_TEST_FIRESTORE_JAR")}, officialJars...) {
		found, err := filepath.Glob(strings.Replace(pattern, "~", home, 1))
		if err == nil && len(found) > 0 {
			return found[len(found)-1]
		}
	}
	t.Skip("skipped: no official Firestore emulator on this machine")
	return ""
}
