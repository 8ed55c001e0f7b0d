package torture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// onSmallDisk moves the data folder to a disk of some MiB and returns the path of a file that fills it. It skips the
// test without root.
func (s *site) onSmallDisk(size string) (fill string) {
	t := s.t
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	mount := filepath.Join(s.dir, "disk")
	if err := os.Mkdir(mount, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "torture", mount).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", mount).Run() })
	s.data = filepath.Join(mount, "data")
	return filepath.Join(mount, "fill")
}

// indexed reports whether the program answers a query of one square in the order of v by a composite index.
func (c client) indexed(t *testing.T, collection string) bool {
	t.Helper()
	q := &firestorepb.StructuredQuery{From: []*firestorepb.StructuredQuery_CollectionSelector{{CollectionId: collection}}}
	q.OrderBy = []*firestorepb.StructuredQuery_Order{{Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: "v"}}}
	q.Where = &firestorepb.StructuredQuery_Filter{FilterType: &firestorepb.StructuredQuery_Filter_FieldFilter{FieldFilter: &firestorepb.StructuredQuery_FieldFilter{
		Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: "kind"}, Op: firestorepb.StructuredQuery_FieldFilter_EQUAL, Value: fields{"": 1}.values()[""],
	}}}
	stream, err := c.rpc.RunQuery(t.Context(), &firestorepb.RunQueryRequest{
		Parent: root, QueryType: &firestorepb.RunQueryRequest_StructuredQuery{StructuredQuery: q}, ExplainOptions: &firestorepb.ExplainOptions{},
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(res.GetExplainMetrics().String(), "(kind ASC, v ASC, __name__ ASC)")
}

// TestAnIndexIsBuiltAfterAFullDisk runs a query without its index on a full disk, frees the disk, and kills the program
// at the end. The query must be complete at all times, and be answered by the index when there is space.
func TestAnIndexIsBuiltAfterAFullDisk(t *testing.T) {
	s := newSite(t)
	fill := s.onSmallDisk("48m")
	srv := s.start()
	c := newClient(t, s.addr)
	c.connect(t)
	const count = 1200
	for from := 0; from < count; from += 200 {
		var writes []*firestorepb.Write
		for i := from; i < from+200; i++ {
			writes = append(writes, set("kinds/"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50), fields{"kind": int64(i % 2), "v": int64(i)}))
		}
		if _, err := c.commit(t.Context(), nil, writes...); err != nil {
			t.Fatal(err)
		}
	}
	all, err := c.query(t.Context(), nil, "kinds", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, f := range all {
		want += int(f["kind"])
	}
	complete := func(when string) {
		t.Helper()
		if found, err := c.query(t.Context(), nil, "kinds", "v", "kind", 1); err != nil || len(found) != want {
			t.Errorf("%s: the query has %d documents, %v; want %d", when, len(found), err, want)
		}
	}
	fillDisk(t, fill)
	await(t, "a refused write", func() bool {
		_, err := c.commit(t.Context(), nil, set("filled/x", fields{"v": 1}))
		return status.Code(err) == codes.ResourceExhausted
	})
	complete("on a full disk")
	await(t, "the message that the index is not built", func() bool { return strings.Contains(srv.logged(), "an index is not built") })
	complete("on a full disk, after the build")
	if c.indexed(t, "kinds") {
		t.Error("the index is used on a full disk")
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	await(t, "the index", func() bool { return c.indexed(t, "kinds") })
	complete("when there is space again")
	srv.kill()
	srv = s.start()
	c.connect(t)
	complete("after a kill")
	srv.stop()
}
