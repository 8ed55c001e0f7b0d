package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The parts of the proxy's path that name APIs.
const (
	partFirestore = "firestore"
	partAdmin     = "admin"
	partIdentity  = "identity"
	partGoogle    = "google"
	partOther     = "other"
)

// variables are the CLI's variables for the origins of APIs, by the part of the proxy's path. Those of APIs that no
// server has lead to the proxy too, so that nothing reaches the user's project at Google by mistake.
var variables = map[string][]string{
	partFirestore: {"FIRESTORE_URL"},
	partAdmin:     {"FIREBASE_RULES_URL", "FIREBASE_RESOURCEMANAGER_URL", "FIREBASE_SERVICE_USAGE_URL", "FIREBASE_API_URL", "FIREBASE_HOSTING_API_URL"},
	partIdentity:  {"FIREBASE_IDENTITY_URL", "FIREBASE_AUTH_MANAGEMENT_URL"},
	partGoogle:    {"FIREBASE_TOKEN_URL", "FIREBASE_GOOGLE_URL"},
	partOther: {
		"FIREBASE_CLOUDBILLING_URL", "FIREBASE_CLOUDLOGGING_URL", "CLOUD_MONITORING_URL", "CLOUD_TRACE_URL", "DEVELOPERCONNECT_URL", "ARTIFACT_REGISTRY_DOMAIN",
		"CLOUD_APIKEYS_URL", "FIREBASE_APPCHECK_URL", "FIREBASE_APP_DISTRIBUTION_URL", "FIREBASE_APPHOSTING_URL", "EVENTARC_URL", "FIREBASE_EXT_REGISTRY_ORIGIN",
		"FIREBASE_FIREDATA_URL", "FIREBASE_FUNCTIONS_URL", "FIREBASE_FUNCTIONS_V2_URL", "CLOUD_RUN_URL", "CLOUD_RUN_API_URL", "FIREBASE_CLOUDBUILD_URL",
		"FIREBASE_CLOUDSCHEDULER_URL", "FIREBASE_CLOUD_TAKS_URL", "FIREBASE_PUBSUB_URL", "FIREBASE_IAM_URL", "FIREBASE_EXT_URL", "FIREBASE_EXT_PUBLISHER_URL",
		"FIREBASE_EXT_TOS_URL", "FIREBASE_RTDB_MANAGEMENT_URL", "FIREBASE_RTDB_METADATA_URL", "FIREBASE_REMOTE_CONFIG_URL", "FIREBASE_MESSAGING_CONFIG_URL",
		"FIREBASE_CRASHLYTICS_URL", "FIREBASE_TELEMETRY_ADMIN_URL", "FIREBASE_RUNTIMECONFIG_URL", "FIREBASE_STORAGE_URL", "FIREBASE_FIREBASESTORAGE_URL",
		"FIREBASE_STUDIO_URL", "CLOUD_SECRET_MANAGER_URL", "COMPUTE_URL", "FIREBASE_DATACONNECT_URL", "CLOUD_SQL_URL", "VERTEX_AI_URL", "AI_LOGIC_PROXY_URL",
		"FIREBASE_APP_TESTING_URL", "CLOUD_TESTING_URL", "DEVELOPER_KNOWLEDGE_URL",
	},
}

// removed are variables that the CLI must not have: those of credentials, of emulators, and of proxies, to which it
// would send the proxy's secret.
var removed = []string{
	"FIREBASE_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "FIREBASE_EMULATOR_HUB", "GOOGLE_CLOUD_QUOTA_PROJECT",
	"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy",
}

// Environment returns the environment of the CLI, made of that of this process, and writes the CLI's configuration into
// a folder that the caller has created and removes at the end.
func Environment(environ []string, p *Proxy, folder string, now time.Time) ([]string, error) {
	set := map[string]string{"XDG_CONFIG_HOME": folder, "NO_UPDATE_NOTIFIER": "1"}
	for part, names := range variables {
		for _, name := range names {
			set[name] = p.URL() + "/" + part
		}
	}
	var out []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if _, ours := set[name]; !ours && !slices.Contains(removed, name) {
			out = append(out, entry)
		}
	}
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out, writeConfiguration(folder, p.o.Tokens.Email(), now)
}

// writeConfiguration writes the CLI's configuration: an account that is signed in, whose token is a word without use,
// and a message of the day, which it need not fetch.
func writeConfiguration(folder, email string, now time.Time) error {
	text, err := json.Marshal(map[string]any{
		"user":   map[string]any{"email": email},
		"tokens": map[string]any{"access_token": "clave", "refresh_token": "clave", "expires_at": now.Add(30 * 24 * time.Hour).UnixMilli(), "scopes": []string{}},
		"motd":   map[string]any{"fetched": now.UnixMilli()},
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, "configstore")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "firebase-tools.json"), text, 0o600)
}

// Arguments returns the CLI's arguments, with the project unless they name one.
func Arguments(args []string, project string) []string {
	for _, a := range args {
		if a == "-P" || a == "--project" || strings.HasPrefix(a, "--project=") || strings.HasPrefix(a, "-P") && !strings.HasPrefix(a, "--") {
			return args
		}
	}
	return append(slices.Clone(args), "--project", project)
}
