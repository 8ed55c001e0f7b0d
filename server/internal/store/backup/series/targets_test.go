package series_test

import (
	"path/filepath"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/test/kit/bucketserver"
)

// place is a target of a test.
type place struct {
	target.Target
	// server is the server of a bucket; nil for a folder.
	server *bucketserver.Server
}

// places makes targets of each kind.
var places = map[string]func(t *testing.T) place{
	"folder": func(t *testing.T) place {
		return place{Target: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}}
	},
	"gofakes3":  func(t *testing.T) place { return inBucket(t, bucketserver.Memory(t)) },
	"versitygw": func(t *testing.T) place { return inBucket(t, bucketserver.Versity(t)) },
}

// inBucket returns the target in the bucket of a server.
func inBucket(t *testing.T, s *bucketserver.Server) place {
	t.Helper()
	b, err := bucket.New(bucketOptions(s))
	if err != nil {
		t.Fatal(err)
	}
	return place{b, s}
}

// bucketOptions returns the options for the bucket of a server.
func bucketOptions(s *bucketserver.Server) bucket.Options {
	return bucket.Options{
		URL: "s3://" + bucketserver.Bucket + "/of/clave", Endpoint: s.URL, AccessKey: bucketserver.AccessKey, SecretKey: bucketserver.SecretKey,
		Clock: clock.System(), Retries: 2,
	}
}

// everywhere runs a test on targets of each kind, with keys and without.
func everywhere(t *testing.T, test func(t *testing.T, p place, keys *series.Keys)) {
	for name, open := range places {
		t.Run(name, func(t *testing.T) { test(t, open(t), nil) })
		t.Run(name+" encrypted", func(t *testing.T) { test(t, open(t), keysOf(t, firstKey)) })
	}
}

// keysOf parses a file of keys.
func keysOf(t *testing.T, text string) *series.Keys {
	t.Helper()
	keys, err := series.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
