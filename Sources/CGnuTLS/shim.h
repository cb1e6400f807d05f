// GnuTLS: for the client, and for what the engine asks by itself (certificates, how far a handshake is, hashes).
#ifndef DRAWBRIDGE_GNUTLS_SHIM_H
#define DRAWBRIDGE_GNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>

// Frees what GnuTLS gave away. Its own name for that is a variable, which Swift cannot read safely.
static inline void dbt_free(void *bytes) { gnutls_free(bytes); }

#endif
