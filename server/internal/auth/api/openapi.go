package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/auth/service/passkey"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/httpx/httpjson"
)

// OpenAPIPath is the path at which the official emulator describes the API.
const OpenAPIPath = "/emulator/openapi.json"

// OpenAPI returns a handler for OpenAPIPath only. It serves a description of the routed methods, generated from the
// routes and from the types that they read and write.
func (h *Handler) OpenAPI() http.Handler {
	document := h.describeAPI()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != OpenAPIPath || r.Method != http.MethodGet {
			http.NotFound(w, r)
			return
		}
		httpjson.Write(w, http.StatusOK, document)
	})
}

// document is an OpenAPI document under construction.
type document struct{ paths, schemas map[string]any }

// describeAPI describes all routes of the two APIs (spec.openapis.org/oas/v3.0.3).
func (h *Handler) describeAPI() map[string]any {
	d := document{make(map[string]any), make(map[string]any)}
	for _, name := range slices.Sorted(maps.Keys(h.routes)) {
		verb, rest, _ := strings.Cut(name, " ")
		host, path, _ := strings.Cut(rest, "/")
		if host+"/" == toolkit || host == tokenHost {
			d.add(verb, host, path, h.routes[name])
		}
	}
	key := func(in, name string) map[string]any { return map[string]any{"type": "apiKey", "in": in, "name": name} }
	return map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "Identity Toolkit API", "version": "v1", "description": "The methods of the Identity Toolkit and Secure Token APIs that Clave implements."},
		"servers": []any{server("identitytoolkit.googleapis.com")},
		"paths":   d.paths,
		"components": map[string]any{
			"schemas": d.schemas,
			"securitySchemes": map[string]any{
				"apiKeyQuery": key("query", "key"), "apiKeyHeader": key("header", "x-goog-api-key"), "Oauth2": map[string]any{"type": "http", "scheme": "bearer"},
			},
		},
	}
}

// server describes the URL of an API on the emulator.
func server(host string) map[string]any {
	return map[string]any{"url": "{EMULATOR}/" + host, "variables": map[string]any{"EMULATOR": map[string]any{"default": "", "description": "The origin of this server."}}}
}

// add describes one route.
func (d *document) add(verb, host, shape string, r route) {
	path, parameters := openPath(shape)
	method := map[string]any{
		"operationId": operation(verb, host, shape), "tags": []string{strings.FieldsFunc(shape, func(r rune) bool { return r == '/' || r == ':' })[1]},
		"responses": map[string]any{"200": map[string]any{"description": "Successful response", "content": d.content(r.out)}},
		"security":  []any{map[string]any{"Oauth2": []string{}}},
	}
	if _, missing := unbuilt[verb+" "+host+"/"+shape]; missing {
		method["responses"] = map[string]any{"501": map[string]any{"description": "Not implemented"}}
	}
	if !r.admin {
		method["security"] = []any{map[string]any{"apiKeyQuery": []string{}}, map[string]any{"apiKeyHeader": []string{}}, map[string]any{"Oauth2": []string{}}}
	}
	if verb == http.MethodPost || verb == http.MethodPatch {
		method["requestBody"] = map[string]any{"content": d.content(r.in)}
	}
	entry, _ := d.paths[path].(map[string]any)
	if entry == nil {
		entry = map[string]any{"parameters": parameters}
		if host == tokenHost {
			entry["servers"] = []any{server(host)}
		}
		d.paths[path] = entry
	}
	entry[strings.ToLower(verb)] = method
}

// openPath returns a route's path with named variables, and their descriptions.
func openPath(shape string) (path string, parameters []any) {
	parameters = []any{}
	segments := strings.Split(shape, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "*") {
			continue
		}
		name := map[string]string{"projects": "targetProjectId", "tenants": "tenantId"}[segments[i-1]]
		if name == "" {
			name = segments[i-1] + "Id"
		}
		segments[i] = "{" + name + "}" + segment[1:]
		parameters = append(parameters, map[string]any{"name": name, "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	return "/" + strings.Join(segments, "/"), parameters
}

// operation returns Google's name of a method, such as identitytoolkit.projects.accounts.batchGet.
func operation(verb, host, shape string) string {
	api, _, _ := strings.Cut(host, ".")
	_, rest, _ := strings.Cut(shape, "/") // the version
	one := strings.HasSuffix(rest, "*")
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == ':' || r == '*' })
	last := words[len(words)-1]
	switch {
	case one && verb != http.MethodPost:
		words = append(words, strings.ToLower(verb))
	case last == "config":
		words[len(words)-1] = map[string]string{"GET": "getConfig", "PATCH": "updateConfig"}[verb]
	case (strings.HasSuffix(last, "Configs") || last == "tenants" || last == "defaultSupportedIdps") && verb == http.MethodGet:
		words = append(words, "list")
	case (strings.HasSuffix(last, "Configs") || last == "tenants") && verb == http.MethodPost:
		words = append(words, "create")
	case len(words) == 1 && verb == http.MethodGet:
		words[0] = "get" + strings.ToUpper(last[:1]) + last[1:]
	}
	return api + "." + strings.Join(words, ".")
}

// content describes a JSON body.
func (d *document) content(t reflect.Type) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": d.schema(t)}}
}

// schema describes a type. An unknown type is any object.
func (d *document) schema(t reflect.Type) map[string]any { // long: one case a kind
	if t == nil {
		return map[string]any{"type": "object"}
	}
	if e, ok := reflect.Zero(t).Interface().(enum); ok {
		return map[string]any{"type": "string", "enum": e.Values()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int64:
		return map[string]any{"type": "string", "format": "int64"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Struct:
		if t.Name() == "" {
			return d.object(t)
		}
		name := schemaName(t)
		if _, known := d.schemas[name]; !known {
			d.schemas[name] = nil // for types that contain themselves
			d.schemas[name] = d.object(t)
		}
		return map[string]any{"$ref": "#/components/schemas/" + name}
	}
	return map[string]any{"type": "object"}
}

// schemaNames holds the names of schemas for types whose own names say too little outside their packages.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[userinfo.Info]():         "UserInfo",
	reflect.TypeFor[userinfo.Provider]():     "ProviderUserInfo",
	reflect.TypeFor[userinfo.Factor]():       "MFAInfo",
	reflect.TypeFor[userinfo.Passkey]():      "PasskeyInfo",
	reflect.TypeFor[accountimport.Request](): "ImportRequest",
	reflect.TypeFor[accountimport.User]():    "ImportUser",
	reflect.TypeFor[passkey.Credential]():    "credentialRef",
}

// schemaName returns the name of a type's schema.
func schemaName(t reflect.Type) string {
	if name, ok := schemaNames[t]; ok {
		return name
	}
	return t.Name()
}

// object describes a struct's fields by their JSON names.
func (d *document) object(t reflect.Type) map[string]any {
	properties := make(map[string]any)
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		properties[name] = d.schema(f.Type)
	}
	return map[string]any{"type": "object", "properties": properties}
}
