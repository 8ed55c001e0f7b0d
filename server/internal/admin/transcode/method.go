package transcode

import (
	"sync"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/genproto/googleapis/cloud/location"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Method is a method of gRPC.
type Method struct {
	// Name is the name without that of its service, such as CreateIndex.
	Name          string
	input, output protoreflect.MessageDescriptor
	// forms are the forms of its requests over HTTP. The first whose path the message fits counts.
	forms []form
}

// form is a form of the requests of a method over HTTP.
type form struct {
	method string
	path   template
	// body is the field of the body; * for all that the path does not have, empty for none.
	body string
}

// operations has the methods on operations with their forms, which for Firestore differ from those that the service
// itself declares.
var operations = map[protoreflect.Name]*annotations.HttpRule{
	"ListOperations":  {Pattern: &annotations.HttpRule_Get{Get: "/v1/{name=projects/*/databases/*}/operations"}},
	"GetOperation":    {Pattern: &annotations.HttpRule_Get{Get: "/v1/{name=projects/*/databases/*/operations/*}"}},
	"DeleteOperation": {Pattern: &annotations.HttpRule_Delete{Delete: "/v1/{name=projects/*/databases/*/operations/*}"}},
	"CancelOperation": {Pattern: &annotations.HttpRule_Post{Post: "/v1/{name=projects/*/databases/*/operations/*}:cancel"}, Body: "*"},
	"WaitOperation":   {Pattern: &annotations.HttpRule_Post{Post: "/v1/{name=projects/*/databases/*/operations/*}:wait"}, Body: "*"},
}

// Methods returns the methods of the Firestore Admin API, of its operations and of its locations, by the paths of their
// calls, such as /google.longrunning.Operations/GetOperation.
var Methods = sync.OnceValue(func() map[string]*Method {
	all := make(map[string]*Method)
	for _, file := range []protoreflect.FileDescriptor{
		adminpb.File_google_firestore_admin_v1_firestore_admin_proto, longrunningpb.File_google_longrunning_operations_proto, location.File_google_cloud_location_locations_proto,
	} {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				d := service.Methods().Get(j)
				all["/"+string(service.FullName())+"/"+string(d.Name())] = methodOf(d)
			}
		}
	}
	return all
})

// methodOf returns the method that a descriptor declares.
func methodOf(d protoreflect.MethodDescriptor) *Method {
	m := &Method{Name: string(d.Name()), input: d.Input(), output: d.Output()}
	rule, ok := operations[d.Name()], true
	if d.Parent().FullName() != "google.longrunning.Operations" {
		rule, ok = proto.GetExtension(d.Options(), annotations.E_Http).(*annotations.HttpRule)
	}
	if !ok || rule == nil {
		return m
	}
	for _, r := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		method, path := pattern(r)
		m.forms = append(m.forms, form{method, parseTemplate(path), r.GetBody()})
	}
	return m
}

// pattern returns the HTTP method and the path of a rule.
func pattern(r *annotations.HttpRule) (method, path string) {
	switch p := r.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return "GET", p.Get
	case *annotations.HttpRule_Post:
		return "POST", p.Post
	case *annotations.HttpRule_Put:
		return "PUT", p.Put
	case *annotations.HttpRule_Patch:
		return "PATCH", p.Patch
	case *annotations.HttpRule_Delete:
		return "DELETE", p.Delete
	}
	return "", ""
}

// newMessage returns an empty message: of its own type if the program has one, so that package protojson knows its form
// in JSON.
func newMessage(d protoreflect.MessageDescriptor) proto.Message {
	if known, err := types.FindMessageByName(d.FullName()); err == nil {
		return known.New().Interface()
	}
	return dynamicpb.NewMessage(d)
}
