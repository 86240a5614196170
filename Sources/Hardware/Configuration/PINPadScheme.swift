/// How the terminal's PIN pad enciphers a PIN for the issuer.
public enum PINPadScheme: String, Hashable, Sendable, CaseIterable {
    /// ISO format 0 blocks under triple DES DUKPT (ISO 9564-1, ANSI X9.24-1).
    case tdes
    /// ISO format 4 blocks under AES DUKPT (ISO 9564-1, ANSI X9.24-3).
    case aes
}
