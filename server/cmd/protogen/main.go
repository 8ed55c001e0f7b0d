// Command protogen generates the Go code of clave/server/internal/model/wire/firestorepb from the protos that lie
// there. It compiles
// them itself, and runs the plugins that go.mod pins as tools, so that nothing but Go has to be installed:
//
//	go run .         writes the files
//	go run . -check  names the files that are not current, and exits with status 1 if there are any
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	_ "google.golang.org/genproto/googleapis/rpc/status" // Imported by the protos.
	_ "google.golang.org/genproto/googleapis/type/dayofweek"
	_ "google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	// dir is where protos and generated files lie, seen from this folder.
	dir = "../../internal/model/wire/firestorepb"
	// importPath is how the protos import each other.
	importPath = "clave/firestore/v1/"
	// module is the package of the generated files.
	module = "clave/server/internal/model/wire/firestorepb"
)

// plugins are the tools that generate code, with their options.
var plugins = []struct{ name, options string }{
	{"protoc-gen-go", "module=" + module},
	{"protoc-gen-go-grpc", "module=" + module},
}

// main generates or compares.
func main() {
	check := flag.Bool("check", false, "compare instead of writing")
	flag.Parse()
	if err := run(context.Background(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// run generates all files, and writes or compares them.
func run(ctx context.Context, check bool) error {
	request, err := compile(ctx)
	if err != nil {
		return err
	}
	numbers, err := fieldNumbers(request)
	if err != nil {
		return err
	}
	files := []*pluginpb.CodeGeneratorResponse_File{numbers}
	for _, p := range plugins {
		request.Parameter = proto.String(p.options)
		generated, err := generate(ctx, p.name, request)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		files = append(files, generated...)
	}
	stale, err := store(files, check)
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		return fmt.Errorf("not current: %s; run go generate ./server/internal/model/wire/firestorepb", strings.Join(stale, ", "))
	}
	return nil
}

// store writes the files, or returns the names of those that are not current.
func store(files []*pluginpb.CodeGeneratorResponse_File, check bool) (stale []string, err error) {
	for _, f := range files {
		path := filepath.Join(dir, f.GetName())
		if !check {
			if err := os.WriteFile(path, []byte(f.GetContent()), 0o644); err != nil {
				return nil, err
			}
			continue
		}
		if old, err := os.ReadFile(path); err != nil || string(old) != f.GetContent() {
			stale = append(stale, f.GetName())
		}
	}
	return stale, nil
}

// compile compiles the protos to what plugins are given.
func compile(ctx context.Context) (*pluginpb.CodeGeneratorRequest, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.proto"))
	if err != nil {
		return nil, err
	}
	sort.Strings(paths)
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = importPath + filepath.Base(p)
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.ResolverFunc(resolve),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names}
	done := map[string]bool{}
	for _, f := range files {
		request.ProtoFile = appendFile(request.ProtoFile, f, done)
	}
	return request, nil
}

// resolve returns one of our protos as text, and Google's as the packages of its Go module hold them.
func resolve(path string) (protocompile.SearchResult, error) {
	if name, ours := strings.CutPrefix(path, importPath); ours {
		text, err := os.ReadFile(filepath.Join(dir, name))
		return protocompile.SearchResult{Source: bytes.NewReader(text)}, err
	}
	d, err := protoregistry.GlobalFiles.FindFileByPath(path)
	return protocompile.SearchResult{Desc: d}, err
}

// appendFile appends a file behind all that it imports.
func appendFile(out []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, done map[string]bool) []*descriptorpb.FileDescriptorProto {
	if done[f.Path()] {
		return out
	}
	done[f.Path()] = true
	for i := range f.Imports().Len() {
		out = appendFile(out, f.Imports().Get(i).FileDescriptor, done)
	}
	if r, ok := f.(linker.Result); ok {
		return append(out, r.FileDescriptorProto())
	}
	return append(out, protodesc.ToFileDescriptorProto(f))
}

// generate runs a plugin.
func generate(ctx context.Context, name string, request *pluginpb.CodeGeneratorRequest) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	in, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", name)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, fmt.Errorf("%s", response.GetError())
	}
	return response.GetFile(), nil
}
