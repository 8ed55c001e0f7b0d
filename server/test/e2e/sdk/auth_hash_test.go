package sdk

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestHashCost checks the memory cost of password hashes: low if accounts are in memory only, Firebase's if they are
// stored.
func TestHashCost(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		flags []string
		want  int
	}{
		{"in memory", nil, 4},
		{"on disk", []string{"--memory=false", "--data", kept}, 14},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := harness.Start(t, nil, tt.flags...)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				"http://"+a.Auth+"/identitytoolkit.googleapis.com/v2/projects/"+harness.Project+"/config", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer owner")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			var got struct {
				SignIn struct {
					HashConfig struct{ MemoryCost int }
				}
			}
			if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || got.SignIn.HashConfig.MemoryCost != tt.want {
				t.Errorf("memory cost = %d, %v (%s), want %d", got.SignIn.HashConfig.MemoryCost, err, answer.Status, tt.want)
			}
		})
	}
}
