package backoffice

import (
	"time"

	"clave/server/internal/base/fault"
)

// Name is Firebase's name for the kind of an error, as the JavaScript SDK spells it after "auth/".
type Name string

// The names that a client may receive.
const (
	WrongCode       Name = "invalid-code"
	BadTicket       Name = "invalid-ticket"
	TooManyRequests Name = "too-many-requests"
	EmailInUse      Name = "email-already-in-use"
	WeakPassword    Name = "weak-password"
	InvalidEmail    Name = "invalid-email"
	NotAllowed      Name = "operation-not-allowed"
	InvalidArgument Name = "invalid-argument"
	Unavailable     Name = "unavailable"
	Internal        Name = "internal-error"
	// NotAdministrator means that the caller's token is not that of an active administrator.
	NotAdministrator Name = "permission-denied"
	// InvalidLink means that the service did not sign a link, or that the link has expired.
	InvalidLink Name = "invalid-action-code"
	// PictureType, PictureTooLarge and PictureBroken mean that an upload is not a picture, has too many pixels, or
	// cannot be decoded.
	PictureType     Name = "picture-type"
	PictureTooLarge Name = "picture-too-large"
	PictureBroken   Name = "picture-broken"
	// NoMail means that a call needs a mail server, a key of links and the site's address, which are not all
	// configured. MailFailed means that an e-mail could not be sent, NoSubscribers that an issue of the newsletter has
	// no recipients, and AlreadySent that it was started before.
	NoMail        Name = "mail-not-configured"
	MailFailed    Name = "mail-failed"
	NoSubscribers Name = "no-subscribers"
	AlreadySent   Name = "already-sent"
	// MailRefused is the reason why an issue of the newsletter is paused: the mail server refused several e-mails in
	// succession.
	MailRefused Name = "mail-refused"
	// NotConfigured means that a call needs a setting that is missing.
	NotConfigured Name = "not-configured"
)

// Refusal is an error that a client may read: Firebase's name for the case beside the fault with its text.
type Refusal struct { //nolint:errname // A refusal is a decision; callers read backoffice.Refusal.
	// Name is Firebase's name for the case.
	Name Name
	// RetryAfter is the time after which to retry; zero if it is unknown.
	RetryAfter time.Duration
	// fault carries the canonical code and the text.
	fault *fault.Error
}

// Error returns the fault's text, for logs.
func (r *Refusal) Error() string { return string(r.Name) + ": " + r.fault.Error() }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.fault }

// texts has the text that visitors read and the canonical code of each case.
var texts = map[Name]struct {
	code fault.Code
	text string
}{
	WrongCode:        {fault.PermissionDenied, "Código secreto incorrecto."},
	BadTicket:        {fault.PermissionDenied, "La verificación del código venció. Verifica el código de nuevo."},
	TooManyRequests:  {fault.ResourceExhausted, "Demasiados intentos. Inténtalo de nuevo en unos minutos."},
	EmailInUse:       {fault.AlreadyExists, "Este correo ya está en uso."},
	WeakPassword:     {fault.InvalidArgument, "La contraseña es muy débil (mínimo 6 caracteres)."},
	InvalidEmail:     {fault.InvalidArgument, "Correo inválido."},
	NotAllowed:       {fault.FailedPrecondition, "Método de acceso no habilitado. Verifica que el acceso con correo y contraseña esté activado."},
	InvalidArgument:  {fault.InvalidArgument, "Completa todos los campos."},
	Unavailable:      {fault.Unavailable, "Problema de red. Verifica tu conexión."},
	NotAdministrator: {fault.PermissionDenied, "Tu cuenta no tiene acceso de administración."},
	InvalidLink:      {fault.InvalidArgument, "Este enlace no es válido."},
	PictureType:      {fault.InvalidArgument, "Usa una imagen JPEG, PNG o WebP."},
	PictureTooLarge:  {fault.InvalidArgument, "La imagen es demasiado grande. Usa una de menos de 5 MB y 16 megapíxeles."},
	PictureBroken:    {fault.InvalidArgument, "No pudimos leer la imagen. Prueba con otra."},
	NoMail:           {fault.FailedPrecondition, "El servidor no tiene configurado el envío de correos."},
	MailFailed:       {fault.Unavailable, "El servidor de correo no aceptó el envío. Intenta de nuevo."},
	NoSubscribers:    {fault.FailedPrecondition, "Nadie ha confirmado su suscripción todavía."},
	AlreadySent:      {fault.AlreadyExists, "Este boletín ya se envió o se está enviando. Cambia el asunto o el texto para enviar otro."},
	NotConfigured:    {fault.FailedPrecondition, "El servidor no tiene la clave de los enlaces de baja."},
	Internal:         {fault.Internal, "Ocurrió un error. Intenta de nuevo."},
}

// refuse creates a refusal of one of the names above; the cause, if any, is kept for the log and is not sent.
func refuse(name Name, cause error) *Refusal {
	known := texts[name]
	return &Refusal{Name: name, fault: fault.Wrap(cause, known.code, "%s", known.text)}
}
