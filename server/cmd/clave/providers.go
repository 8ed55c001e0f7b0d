package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"clave/server/internal/app/commands"
	"clave/server/internal/app/config"
	"clave/server/internal/auth/service/providerservice"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/base/terminal"
)

// providersCommand returns `clave providers`.
func providersCommand(s streams) *cobra.Command {
	command := func(use, short string, mode config.Mode, args cobra.PositionalArgs, run func(context.Context, *config.Config, streams) error) *cobra.Command {
		cmd := &cobra.Command{Use: use, Short: short, Args: args}
		return configured(cmd, mode, func(ctx context.Context, c *config.Config) error { return run(ctx, c, s) })
	}
	add := command("add PROVIDER [flags]", "Add a provider, or change fields of one", config.ModeAddProvider, words(1, 1, "name the provider, such as google, and nothing else"), addProvider)
	add.Example = "  clave providers add google --client-id 123.apps.googleusercontent.com --client-secret-file google.secret --project my-project"
	cmd := group(
		s, "providers COMMAND", "Add, list and remove identity providers", add,
		command("list [flags]", "Print the providers, without their secrets", config.ModeProviders, words(0, 0, "takes no arguments"), listProviders),
		command("remove PROVIDER [flags]", "Remove a provider with its secret", config.ModeProviders, words(1, 1, "name the provider, and nothing else"), removeProvider),
	)
	cmd.GroupID = groupData
	cmd.Long = "Manages the identity providers with which clave serve signs users in: google, apple, microsoft, github, facebook, and oidc.NAME, oauth.NAME\n" +
		"and saml.NAME for others of OpenID Connect, OAuth 2 and SAML (server/doc/providers.md). The server may be running, and uses a change at once."
	return cmd
}

// requestProviders sends a request about providers.
func requestProviders(ctx context.Context, c *config.Config, s streams, in providerservice.Request) (*providerservice.Response, error) {
	in.Tenant = c.Provider.Tenant
	return commands.Providers(ctx, c, commands.Options{Log: logger(c, s.err)}, in)
}

// addProvider adds or changes a provider, and prints what is to be entered at it.
func addProvider(ctx context.Context, c *config.Config, s streams) error {
	id, err := providerservice.ID(c.Command[0])
	if err != nil {
		return usageError("clave providers add: %s", fault.Reason(err))
	}
	fields := providerFields
	if strings.HasPrefix(id, "saml.") {
		fields = samlFields
	}
	body, err := fields(id, &c.Provider)
	if err != nil {
		return err
	}
	out, err := requestProviders(ctx, c, s, providerservice.Request{ID: id, Add: body})
	if err != nil {
		return err
	}
	done := "added"
	if out.Changed {
		done = "changed"
	}
	origin := c.PublicURL
	if origin == "" {
		origin = "https://YOUR-HOST"
	}
	if strings.HasPrefix(id, "saml.") {
		printSAML(s, id, done, origin, out)
		return nil
	}
	fmt.Fprintf(s.out, "%s is %s. Enter these redirect URIs at the provider, the second one for clients with connectAuthEmulator:\n", id, done)
	fmt.Fprintf(s.out, "  %s/__/auth/handler\n  %s/emulator/auth/handler\n", origin, origin)
	return nil
}

// printSAML prints what is to be entered at a SAML provider that was added or changed.
func printSAML(s streams, id, done, origin string, out *providerservice.Response) {
	own, _ := out.Config["spConfig"].(map[string]any)
	entity, _ := own["spEntityId"].(string)
	fmt.Fprintf(s.out, "%s is %s. Enter at the provider:\n  entity id (audience)  %s\n", id, done, terminal.Text(entity))
	if callback, _ := own["callbackUri"].(string); callback != "" {
		fmt.Fprintf(s.out, "  ACS URL (HTTP-POST)   %s\n", terminal.Text(callback))
	} else {
		fmt.Fprintf(s.out, "  ACS URL (HTTP-POST)   %s/__/auth/handler\n  and, for clients with connectAuthEmulator,\n                        %s/emulator/auth/handler\n", origin, origin)
	}
	fmt.Fprintln(s.out, "  NameID                the user's e-mail address, or another id that never changes\n  signature             of the assertion or the response, with SHA-256; no encryption")
	certificates, _ := own["spCertificates"].([]any)
	for _, one := range certificates {
		of, _ := one.(map[string]any)
		text, _ := of["x509Certificate"].(string)
		fmt.Fprintln(s.out, "  certificate of this server, for its signed requests:")
		for line := range strings.Lines(text) {
			fmt.Fprintln(s.out, terminal.Text(strings.TrimRight(line, "\r\n")))
		}
	}
}

// providerFields returns the fields of a configuration that flags set, in the API's form.
func providerFields(id string, p *config.Provider) (map[string]any, error) {
	if !reflect.ValueOf(p.SAML).IsZero() {
		return nil, usageError("clave providers add: --metadata, --idp-entity-id, --sso-url, --certificate-file, --sp-entity-id, --callback-url, --email-domain and --sign-requests are for saml.NAME only")
	}
	body := map[string]any{"enabled": !p.Disabled}
	if p.ClientID != "" {
		body["clientId"] = p.ClientID
	}
	if len(p.MoreClientIDs) > 0 {
		body["additionalClientIds"] = list(p.MoreClientIDs)
	}
	isOIDC := strings.HasPrefix(id, "oidc.")
	if p.Issuer != "" {
		if !isOIDC {
			return nil, usageError("clave providers add: --issuer is for oidc.NAME only; that of %s is known", id)
		}
		body["issuer"] = p.Issuer
	}
	if of := oauthFields(&p.OAuth); len(of) > 0 {
		if !strings.HasPrefix(id, "oauth.") {
			return nil, usageError("clave providers add: --authorization-url, --token-url, --user-info-url, --introspection-url, --scope and the names of members are for oauth.NAME only")
		}
		body["oauthConfig"] = of
	}
	if p.ClientSecretFile != "" {
		secret, err := secretIn(p.ClientSecretFile)
		if err != nil {
			return nil, err
		}
		body["clientSecret"] = secret
		if isOIDC {
			body["responseType"] = map[string]any{"code": true, "idToken": false}
		}
	}
	if p.TeamID == "" && p.KeyID == "" && p.PrivateKeyFile == "" {
		return body, nil
	}
	if id != "apple.com" {
		return nil, usageError("clave providers add: --team-id, --key-id and --private-key-file are for apple only")
	}
	flow := make(map[string]any)
	for name, value := range map[string]string{"teamId": p.TeamID, "keyId": p.KeyID} {
		if value != "" {
			flow[name] = value
		}
	}
	if p.PrivateKeyFile != "" {
		key, err := secretIn(p.PrivateKeyFile)
		if err != nil {
			return nil, err
		}
		flow["privateKey"] = key
	}
	body["appleSignInConfig"] = map[string]any{"codeFlowConfig": flow}
	return body, nil
}

// oauthFields returns the fields of a generic provider of OAuth 2 that flags set, in the API's form.
func oauthFields(o *config.OAuthProvider) map[string]any {
	body, members := make(map[string]any), make(map[string]any)
	setTexts([]textField{
		{body, "authorizationUrl", o.AuthorizationURL}, {body, "tokenUrl", o.TokenURL}, {body, "userInfoUrl", o.UserInfoURL}, {body, "introspectionUrl", o.IntrospectionURL},
		{members, "id", o.IDMember}, {members, "email", o.EmailMember}, {members, "emailVerified", o.EmailVerifiedMember}, {members, "name", o.NameMember},
		{members, "picture", o.PictureMember},
	})
	if len(members) > 0 {
		body["userInfoMembers"] = members
	}
	if len(o.Scopes) > 0 {
		body["scopes"] = list(o.Scopes)
	}
	return body
}

// textField is a field of a configuration with its value.
type textField struct {
	in          map[string]any
	name, value string
}

// setTexts sets the fields whose values are not empty.
func setTexts(fields []textField) {
	for _, field := range fields {
		if field.value != "" {
			field.in[field.name] = field.value
		}
	}
}

// samlFields returns the fields of a SAML provider's configuration that flags set, in the API's form.
func samlFields(_ string, p *config.Provider) (map[string]any, error) {
	if p.ClientID+p.ClientSecretFile+p.Issuer+p.TeamID+p.KeyID+p.PrivateKeyFile != "" || len(p.MoreClientIDs) > 0 || !reflect.ValueOf(p.OAuth).IsZero() {
		return nil, usageError("clave providers add: saml.NAME has no client id, secret or issuer; give --metadata, or --idp-entity-id, --sso-url and --certificate-file, and --sp-entity-id")
	}
	provider, own := make(map[string]any), make(map[string]any)
	signs := p.SAML.SignRequests
	if path := p.SAML.MetadataFile; path != "" {
		text, err := regularfile.Read(path, providerservice.MaxMetadata)
		if err != nil {
			return nil, fault.Wrap(err, fault.FailedPrecondition, "cannot read %s: %v", path, err)
		}
		read, err := providerservice.ReadMetadata(text)
		if err != nil {
			return nil, fault.Wrap(err, fault.CodeOf(err), "%s: %s", path, fault.Reason(err))
		}
		provider["idpEntityId"], provider["ssoUrl"], provider["idpCertificates"] = read.EntityID, read.SSOURL, certificatesOf(read.Certificates)
		signs = signs || read.SignRequests
	}
	setTexts([]textField{
		{provider, "idpEntityId", p.SAML.IDPEntityID}, {provider, "ssoUrl", p.SAML.SSOURL},
		{own, "spEntityId", p.SAML.SPEntityID}, {own, "callbackUri", p.SAML.CallbackURL},
	})
	var certificates []string
	for _, path := range p.SAML.CertificateFiles {
		text, err := secretIn(path)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, text)
	}
	if certificates != nil { // They replace those of the metadata.
		provider["idpCertificates"] = certificatesOf(certificates)
	}
	body := map[string]any{"enabled": !p.Disabled, "idpConfig": provider, "spConfig": own}
	if signs {
		provider["signRequest"] = true
	}
	if len(p.SAML.EmailDomains) > 0 {
		body["emailDomains"] = list(p.SAML.EmailDomains)
	}
	return body, nil
}

// certificatesOf returns certificates in the API's form.
func certificatesOf(texts []string) []any {
	out := make([]any, len(texts))
	for i, one := range texts {
		out[i] = map[string]any{"x509Certificate": one}
	}
	return out
}

// list returns texts as JSON has them.
func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, one := range texts {
		out[i] = one
	}
	return out
}

// secretIn reads a secret from a file, without the line break at its end. A command line would show it to other users
// of the machine.
func secretIn(path string) (string, error) {
	const enough = 1 << 14
	text, err := regularfile.Read(path, enough)
	if err != nil {
		return "", fault.Wrap(err, fault.FailedPrecondition, "cannot read %s: %v", path, err)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return "", fault.E(fault.FailedPrecondition, "%s is empty", path)
	}
	return secret, nil
}

// listProviders prints the providers.
func listProviders(ctx context.Context, c *config.Config, s streams) error {
	out, err := requestProviders(ctx, c, s, providerservice.Request{})
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "PROVIDER\tTENANT\tSTATE\tCLIENT\tSECRETS")
	for _, p := range out.Providers {
		state := "disabled"
		if p.Config["enabled"] == true {
			state = "enabled"
		}
		client, _ := p.Config["clientId"].(string)
		if own, ok := p.Config["spConfig"].(map[string]any); ok {
			client, _ = own["spEntityId"].(string)
		}
		columns := []string{p.ID, p.Tenant, state, client, strings.Join(p.Secrets, ",")}
		for i, text := range columns {
			if columns[i] = terminal.Text(text); text == "" {
				columns[i] = "-"
			}
		}
		fmt.Fprintln(table, strings.Join(columns, "\t"))
	}
	return table.Flush()
}

// removeProvider removes a provider.
func removeProvider(ctx context.Context, c *config.Config, s streams) error {
	id, err := providerservice.ID(c.Command[0])
	if err != nil {
		id = c.Command[0] // one that was stored by the API
	}
	if _, err := requestProviders(ctx, c, s, providerservice.Request{ID: id, Remove: true}); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s is removed.\n", id)
	return nil
}
