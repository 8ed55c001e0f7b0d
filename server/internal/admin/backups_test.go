package admin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup/series"
)

// kept are backups.
type kept []series.Backup

// Kept implements firestoreadmin.Backups.
func (k kept) Kept(context.Context) ([]series.Backup, series.Proof, error) {
	return k, series.Proof{}, nil
}

// Databases implements firestoreadmin.Backups.
func (k kept) Databases(_ context.Context, b series.Backup) ([]resource.Database, error) {
	if b.Damage != "" {
		return nil, nil
	}
	return []resource.Database{{Project: "p", ID: "(default)"}, {Project: "p", ID: "gone"}, {Project: "p", ID: "second"}, {Project: "q", ID: "other"}}, nil
}

// TestBackups lists and reads backups over HTTP and with the Go client.
func TestBackups(t *testing.T) {
	const backups = "/v1/projects/p/locations/local/backups"
	s := open(t, memory(t))
	s.want(200, "GET "+backups, "", "{}")
	s = openWith(t, memory(t), kept{
		{Name: "2026-11-20T01-00-00Z", Time: time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC), Damage: "a file is missing"},
		{Name: "2026-11-21T01-00-00Z", Time: time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC), Bytes: 12345},
	})
	s.want(200, "GET /v1/projects/p/locations/-/backups", "", `{"backups":[{"name":"projects/p/locations/local/backups/2026-11-21T01-00-00Z","database":"projects/p/databases/(default)"`)
	s.want(200, "GET "+backups+"/2026-11-20T01-00-00Z", "", `"state":"NOT_AVAILABLE"`)
	s.want(200, "GET "+backups+"/2026-11-21T01-00-00Z.gone", "", `"database":"projects/p/databases/gone","snapshotTime"`)
	s.want(404, "GET "+backups+"/2026-11-20T01-00-00Z.gone", "", "NOT_FOUND")
	s.want(404, "GET "+backups+"/2026-11-21T01-00-00Z.other", "", "NOT_FOUND")
	s.want(404, "GET "+backups+"/2026-11-22T01-00-00Z", "", "NOT_FOUND")
	s.want(404, "GET /v1/projects/p/locations/nam5/backups", "", "NOT_FOUND")
	s.want(501, "GET "+backups+"?filter=x", "", "UNIMPLEMENTED")
	s.want(501, "DELETE "+backups+"/2026-11-20T01-00-00Z", "", "--backup-keep")
	s.want(404, "DELETE "+backups+"/2026-11-22T01-00-00Z", "", "NOT_FOUND")
	c, _ := s.client()
	all, err := c.ListBackups(s.as("viewer"), &adminpb.ListBackupsRequest{Parent: "projects/p/locations/-"})
	if err != nil || len(all.GetBackups()) != 4 || all.GetBackups()[0].GetStats().GetSizeBytes() != 12345 {
		t.Errorf("ListBackups: %v, %v", all, err)
	}
	one, err := c.GetBackup(s.as("viewer"), &adminpb.GetBackupRequest{Name: "projects/p/locations/local/backups/2026-11-21T01-00-00Z"})
	if err != nil || one.GetState() != adminpb.Backup_READY || one.GetSnapshotTime().AsTime().Day() != 21 {
		t.Errorf("GetBackup: %v, %v", one, err)
	}
	err = c.DeleteBackup(s.as("deployer"), &adminpb.DeleteBackupRequest{Name: one.GetName()})
	if st := status.Convert(err); st.Code() != codes.Unimplemented || !strings.Contains(st.Message(), "--backup-keep") {
		t.Errorf("DeleteBackup: %v", err)
	}
}

// asked are backups whose names are recorded when their databases are read.
type asked struct {
	kept
	names map[string]bool
}

// Databases implements firestoreadmin.Backups.
func (a asked) Databases(ctx context.Context, b series.Backup) ([]resource.Database, error) {
	a.names[b.Name] = true
	return a.kept.Databases(ctx, b)
}

// TestOneBackupReadsOneList requests one of two backups: the list of the other one, which may be large, is not read.
func TestOneBackupReadsOneList(t *testing.T) {
	at := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
	a := asked{kept{{Name: "a", Time: at}, {Name: "b", Time: at.Add(time.Hour)}}, make(map[string]bool)}
	s := openWith(t, memory(t), a)
	for _, id := range []string{"a", "a.second"} {
		s.want(200, "GET /v1/projects/p/locations/local/backups/"+id, "", `/backups/`+id+`"`)
	}
	if len(a.names) != 1 || !a.names["a"] {
		t.Errorf("the databases of %v were read, want those of a", a.names)
	}
	if s.want(200, "GET /v1/projects/p/locations/local/backups", "", `/backups/a"`); !a.names["b"] {
		t.Error("a list of all backups lacks the databases of b")
	}
}
