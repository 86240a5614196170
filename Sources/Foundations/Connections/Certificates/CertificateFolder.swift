import COpenSSL
public import Determinism
import Files

/// A folder with an authority of its own, and with the certificates that it has issued to one server and one client:
/// `ca.pem`, `server.pem`, `client.pem`, and beside each its key, `ca.key` and so on.
public struct CertificateFolder: Hashable, Sendable {
    /// The path of the folder.
    public let path: String

    /// Names the folder, which need not exist until a certificate is issued.
    public init(path: String) { self.path = path }

    /// The authority, whose certificate peers pin.
    public var authority: TLSIdentityFiles { files("ca") }
    public var server: TLSIdentityFiles { files("server") }
    public var client: TLSIdentityFiles { files("client") }

    private func files(_ name: String) -> TLSIdentityFiles {
        TLSIdentityFiles(certificate: "\(path)/\(name).pem", key: "\(path)/\(name).key")
    }

    /// The validity of an authority and of what it issues, and the rest of it at which a certificate is made anew.
    private static let (authorityDays, days, renewalDays) = (3650, 397, 7)

    /// Makes what is missing, what expires within a week, and a server's certificate that lacks a name. The authority
    /// stays.
    ///
    /// - Parameters:
    ///   - names: the names and IP addresses of the server.
    ///   - commonName: the common name of the server; nil for the first of the names.
    ///   - key: the kind of new keys.
    ///   - time: the clock for the validity.
    ///   - random: the source of serial numbers.
    /// - Returns: the paths of the new certificates.
    /// - Throws: ``CertificateError``
    @discardableResult
    public func prepare(
        names: [String], commonName: String? = nil, key: CertificateRequest.Key = .p256, time: any TimeSource,
        random: any RandomSource
    ) throws(CertificateError) -> [String] {
        let now = time.now()
        func request(
            _ name: String, _ names: [String] = [], _ use: CertificateRequest.Use? = nil, days: Int = Self.days
        ) -> CertificateRequest {
            // The clocks of peers may be a day behind.
            CertificateRequest(
                commonName: name, names: names, uses: Set([use].compactMap(\.self)),
                notBefore: now.advanced(by: .seconds(-86_400)), notAfter: now.advanced(by: .seconds(86_400 * days)),
                key: key)
        }
        let wanted = [
            (files: server, request: request(commonName ?? names.first ?? "server", names, .server)),
            (files: client, request: request("client", [], .client)),
        ]
        guard try !missing(of: wanted, at: now).isEmpty else { return [] }
        let work: Result<[String], CertificateError>
        do throws(FileStorageError) {
            // Of two programs that begin at once, one makes the authority, and the other finds it.
            work = try FileStorage(trust: .ownerAlone).whileLocked("\(path)/certificates") {
                () throws(CertificateError) in
                let (missing, hasAuthority) = (try missing(of: wanted, at: now), try summary(authority) != nil)
                guard !missing.isEmpty else { return [] }
                let issuer: CertificateAuthority
                if hasAuthority {
                    issuer = try CertificateAuthority(files: authority, random: random)
                } else {
                    issuer = try CertificateAuthority(
                        request("CardPresent CA", days: Self.authorityDays), random: random)
                    try issuer.write(to: authority)
                }
                for certificate in missing { try issuer.issue(certificate.request).write(to: certificate.files) }
                return (hasAuthority ? [] : [authority.certificate]) + missing.map(\.files.certificate)
            }
        } catch {
            throw .unwritable(error)
        }
        return try work.get()
    }

    private typealias Wanted = (files: TLSIdentityFiles, request: CertificateRequest)

    /// Those that are not there, or will not do.
    private func missing(of wanted: [Wanted], at now: Timestamp) throws(CertificateError) -> [Wanted] {
        let hasAuthority = try summary(authority) != nil
        var missing: [Wanted] = []
        for certificate in wanted {
            let found = try summary(certificate.files)
            // What another authority has issued is not overwritten.
            guard hasAuthority || found == nil else {
                throw .noAuthority(path: authority.certificate, found: certificate.files.certificate)
            }
            if found?.serves(certificate.request, at: now, rest: Self.renewalDays) != true {
                missing.append(certificate)
            }
        }
        return missing
    }

    /// Returns the first certificate of a file; nil when there is no file.
    private func summary(_ files: TLSIdentityFiles) throws(CertificateError) -> CertificateSummary? {
        do throws(TLSSetupError) {
            let certificates = try PEMFile.certificates(in: files.certificate)
            defer { for certificate in certificates { X509_free(certificate) } }
            return certificates.first.map { CertificateSummary($0) }
        } catch {
            if case .missing = error { return nil }
            throw .unusableFile(error)
        }
    }
}

extension CertificateSummary {
    /// Whether the certificate has the names that were asked for, and is valid for at least `rest` further days.
    fileprivate func serves(_ request: CertificateRequest, at now: Timestamp, rest: Int) -> Bool {
        subject == request.commonName && notBefore <= now
            && Set(request.names.map(SubjectName.init)).isSubset(of: names.map(SubjectName.init))
            && notAfter >= now.advanced(by: .seconds(86_400 * rest))
    }
}
