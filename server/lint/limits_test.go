package lint_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/limit"
)

// rewriteTable replaces the table of limits in doc/production.md.
var rewriteTable = flag.Bool("rewrite-limits", false, "rewrite the table of limits in doc/production.md")

// TestLimitsAreDocumented requires that the table of limits in doc/production.md is that of package limit.
func TestLimitsAreDocumented(t *testing.T) {
	const page, head = "doc/production.md", "| what | all clients | one network (an IPv4 address or an IPv6 /64) |\n|---|---|---|\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	table, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table of limits", page)
	}
	var rows []string
	for _, l := range limit.All() {
		if l.Operators {
			network := " " + l.Network
			if l.Network != "" {
				network += " "
			}
			rows = append(rows, "| "+l.What+" | "+l.All+" |"+network+"|")
		}
	}
	want := strings.Join(rows, "\n")
	if table == want {
		return
	}
	if *rewriteTable {
		if err := os.WriteFile(page, []byte(before+head+want+"\n\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table of limits in %s is\n%s\nand that of server/internal/limit\n%s\nRun go test ./server/lint -run TestLimitsAreDocumented -rewrite-limits", page, table, want)
}

// limitMakers are the constructors of limits. Each use must be in a function that an entry of package limit names.
var limitMakers = []string{"slots.New", "rate.New", "rate.NewAddresses", "rate.NewLimiter", "ratelimit.New", "fair.New", "receive.New", "parse.New", "quota.New", "memory.New", "semaphore.NewWeighted"}

// notClients are the constants named max… or most… in the packages of limited that limit no client.
var notClients = strings.Fields(`
auth/account.maxDecodedSessions auth/api.maxTargets auth/appcheck.maxLife auth/appcheck.maxRemoved auth/appcheck/debugtoken.maxApp auth/appcheck/debugtoken.maxName auth/appcheck/debugtoken.MaxRequest auth/appcheck/keyset.maxSet auth/provider.maxAnswer auth/provider.maxIssuers auth/provider.maxSkew auth/secret.maxFile auth/secret.maxKeys auth/service.maxCookie auth/service.maxSignInAge auth/service/actionlink.maxLink auth/service/field.maxEmail
auth/service/factor.maxFactors auth/service/idp.maxCertificates auth/service/factor.maxIntervals auth/service/accountimport.maxConflicts auth/service/limits.maxPlaces auth/service/field.MaxPassword
auth/service/field.maxDisplayName auth/service/field.maxPhotoURL auth/service/field.maxUID auth/service/providerservice.MaxMetadata auth/service/providerservice.MaxRequest auth/service/serviceaccount/keyservice.MaxRequest auth/service/session.maxAttributes auth/service/webhook.maxAnswer
auth/token.maxAssertion auth/token.MaxAppCheckLife auth/token.maxLifetimes auth/token.maxUID
cluster/node.maxProject cluster/forward.maxAnswer cluster/forward.maxCalls cluster/forward.maxFrame cluster/forward.maxHeaders cluster/forward.maxIndex cluster/forward.maxKept cluster/forward.maxLease cluster/releases.maxRelease
database/authz.maxBehind database/authz.maxDenials database/authz.maxKept database/authz.maxTargets database/engine.maxBuilds database/engine.maxFollowed database/engine.maxGather database/engine.maxOverlay
database/engine.maxParallel database/engine.maxQueued database/engine.maxWaitFactor database/engine/keys.maxRegion database/engine/planner.maxEquals
database/index.MaxComponent database/index.maxEntries database/index.maxEntrySize database/index.maxEntryValue database/index.maxFields database/index.maxFlagged database/index.maxIndexedName
database/listen.maxPastChecks database/listen.maxReplay database/listen.maxVersion database/missingindex.maxQueued database/missingindex.maxReport database/projectfiles.MaxText events.maxFile events.maxLetters events.maxPause events.maxSpecs events.maxTimeout
limit/heap.mostGarbage limit/heap.mostPercent limit/heap.mostTable
transport/grpc.maxAgainPause transport/grpc.maxKept transport/grpc.maxPooled transport/grpc.maxScratch transport/hosting.maxLanguages transport/hosting/versions.maxLabel transport/hosting/versions.maxLife transport/hosting/glob.maxAlternatives transport/hosting/glob.maxDepth
transport/hosting/glob.maxPattern transport/hosting/glob.maxRepeated transport/port.maxFrame transport/port.mostJoined transport/webchannel.maxChunk transport/webchannel.maxGiven`)

// limited are the folders in which each constant named max… or most… must be an entry of package limit or in
// notClients.
var limited = []string{"transport", "auth", "database", "events", "cluster", "limit"}

// TestLimitsAreListed requires that the declarations that package limit names exist, that each use of a constructor of
// limits is in one of them, and that the constants of packages that serve clients are in the list or in notClients.
func TestLimitsAreListed(t *testing.T) {
	named := make(map[string]bool)
	for _, l := range limit.All() {
		if l.What == "" || l.Key == "" || l.All+l.Network == "" || l.Excess == "" || l.Error == "" || len(l.At) == 0 {
			t.Errorf("package limit: the entry %q is not complete", l.What)
		}
		for _, at := range l.At {
			named[at] = true
		}
	}
	names := declarations(t, func(place, maker string) {
		if !named[place] {
			t.Errorf("%s makes a limit (%s): name it in an entry of server/internal/limit", place, maker)
		}
	})
	for at := range named {
		if _, declared := names[at]; !declared {
			t.Errorf("server/internal/limit names %s, which is not declared", at)
		}
	}
	for _, name := range notClients {
		if !names[name] || named[name] {
			t.Errorf("notClients has %s, which is not declared or is in server/internal/limit", name)
		}
	}
	for name, isValue := range names {
		folder, _, _ := strings.Cut(name, "/")
		folder, _, _ = strings.Cut(folder, ".")
		short := strings.ToLower(name[strings.LastIndex(name, ".")+1:])
		if isValue && slices.Contains(limited, folder) && (strings.HasPrefix(short, "max") || strings.HasPrefix(short, "most")) && !named[name] && !slices.Contains(notClients, name) {
			t.Errorf("%s is in no entry of server/internal/limit: add it, or to notClients in server/lint/limits_test.go if it limits no client", name)
		}
	}
}

// declarations returns the declared names of the packages of the server, with their package's path in server/internal,
// and whether each is a constant or a variable. It calls made for each use of one of limitMakers with the function that
// has it. Defaults of options are exempt.
func declarations(t *testing.T, made func(place, maker string)) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, root := range []string{"internal", "backoffice"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".pb.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			path, err := filepath.Rel("internal", filepath.Dir(name))
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				for _, declared := range declaredBy(d) {
					place := filepath.ToSlash(path) + "." + declared
					g, isGeneral := d.(*ast.GenDecl)
					names[place] = isGeneral && g.Tok != token.TYPE
					if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != "EnsureDefaults" {
						makersIn(f, func(maker string) { made(place, maker) })
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// declaredBy returns the names of a top-level declaration. A method has its type before it.
func declaredBy(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			return []string{f.Name.Name}
		}
		of := f.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if named, ok := of.(*ast.Ident); ok {
			return []string{named.Name + "." + f.Name.Name}
		}
		return nil
	}
	for _, s := range d.(*ast.GenDecl).Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// makersIn calls made for each call of one of limitMakers in a function.
func makersIn(f *ast.FuncDecl, made func(maker string)) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if selected, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := selected.X.(*ast.Ident); ok && slices.Contains(limitMakers, of.Name+"."+selected.Sel.Name) {
				made(of.Name + "." + selected.Sel.Name)
			}
		}
		return true
	})
}
