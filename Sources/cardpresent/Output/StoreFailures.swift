internal import Files
internal import Networking
internal import Yosemite

extension CommandFailure {
    static let notSignedIn = CommandFailure(
        .configuration, code: "not_signed_in", message: "nobody is signed in to a store",
        fix: "sign in: cardpresent login URL")

    /// The session has ended because of this.
    init(refused error: ServiceError) {
        self.init(
            .configuration, code: "signed_out",
            message: "the store no longer takes the credentials, so you were signed out: \(error)",
            fix: "sign in again: cardpresent login URL")
    }

    init(_ error: StoreError) {
        switch error {
        case .network(let error): self.init(error)
        case .storage(let error): self.init(error)
        case .settings(let error): self.init(error)
        case .notFound: self.init(.badData, code: "not_found", message: error.description)
        case .giftCard(.notApplied):
            self.init(
                .badData, code: "gift_card_not_applied", message: error.description,
                fix: "change or delete the order at the store; do not create it again")
        case .giftCard:
            self.init(.badData, code: "gift_card_refused", message: error.description, fix: "nothing was changed")
        case .cancelled: self.init(.cancelled, code: "cancelled", message: error.description)
        case .notSignedIn: self = .notSignedIn
        case .statistics(let error): self.init(error)
        }
    }

    init(_ error: SiteStatsStoreError) {
        let message = error.description
        switch error {
        case .statsModuleDisabled:
            self.init(.unavailable, code: "stats_disabled", message: message, fix: "switch Jetpack's statistics on")
        case .noPermission:
            self.init(
                .configuration, code: "forbidden", message: message,
                fix: "sign in as a user who may manage the store")
        case .jetpackNotConnected:
            self.init(
                .unavailable, code: "jetpack_not_connected", message: message,
                fix: "connect the site with Jetpack again")
        case .analyticsDisabled:
            self.init(
                .unavailable, code: "analytics_disabled", message: message,
                fix: "switch it on: cardpresent settings set analytics yes; it needs WooCommerce 4.0")
        case .emptyRange: self.init(.usage, code: "empty_range", message: message)
        }
    }

    init(_ error: FileStorageError) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .busy: self.init(.tryAgain, code: "settings_busy", message: message, fix: fix)
        case .system: self.init(.unavailable, code: "settings_unavailable", message: message, fix: fix)
        case .notARegularFile, .openToOthers, .belongsToAnother, .tooLong, .malformed, .newerVersion:
            self.init(.configuration, code: "settings_unusable", message: message, fix: fix)
        }
    }

    init(_ error: SignInKeepingError) {
        let (message, fix) = error.description.splitAtFix
        self.init(.configuration, code: "credentials", message: message, fix: fix)
    }

    init(_ error: SessionError) {
        switch error {
        case .stores(let error): self.init(.internalError, code: "internal", message: error.description)
        case .notForgotten(let error):
            self.init(error)
            message = "the data of the store could not be deleted: " + message
            fix = "try again: cardpresent logout"
        case .notKept(let error): self.init(error)
        }
    }

    init(_ error: SignInError) {
        let message = error.description
        switch error {
        case .unprotected(let address):
            self.init(
                .usage, code: "unprotected", message: message,
                fix: "give the address with https://, or, in a network that you trust, --insecure-http: "
                    + address.withoutQuery)
        case .refused:
            self.init(
                .configuration, code: "refused", message: message,
                fix: "check user name and password; a site that wants a second factor takes an application password: "
                    + "make one in your profile there and give it with --application-password-file")
        case .notWordPress(let address, let cause):
            self.init(
                .badData, code: "not_wordpress", message: message,
                fix: "give the address where WordPress is, with its folder, such as \(address.origin)/shop/"
                    + (cause.isMarkup ? "; a firewall or a login wall in front of it must let /?rest_route= pass" : ""))
        case .network(let error): self.init(error)
        }
    }

    init(_ error: NetworkError) {
        let message = error.description
        switch error {
        case .invalidAddress: self.init(.usage, code: "invalid_address", message: message)
        case .transportUnavailable:
            self.init(.unavailable, code: "http_unavailable", message: message, fix: "install libcurl4")
        case .cannotConnect:
            self.init(
                .unavailable, code: "unreachable", message: message, fix: "check the address and this machine's network"
            )
        case .untrustedServer(_, let problem):
            self.init(.unavailable, code: "untrusted_server", message: message, fix: problem.fix)
        case .timedOut: self.init(.unavailable, code: "timeout", message: message, fix: "try again")
        case .connectionLost: self.init(.unavailable, code: "connection_lost", message: message, fix: "try again")
        case .cancelled: self.init(.cancelled, code: "cancelled", message: message)
        case .responseTooLarge: self.init(.badData, code: "answer_too_large", message: message)
        case .redirectRefused(_, let target):
            self.init(
                .unavailable, code: "redirected", message: message,
                fix: "if \(target) is the same site, sign in with that address")
        case .service(let error): self.init(error)
        case .unreadable: self.init(.badData, code: "unreadable_answer", message: message)
        case .undecodable: self.init(.badData, code: "unexpected_answer", message: message)
        case .missingCredentials, .signInFailed:
            self.init(.configuration, code: "not_signed_in", message: message, fix: "sign in: cardpresent login URL")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown, code: "outcome_unknown", message: message,
                fix: "look at the store before you do it again")
        }
    }

    init(_ error: ServiceError) {
        let message = error.description
        switch error.kind {
        case .unauthorized, .invalidToken:
            self.init(.configuration, code: "refused", message: message, fix: "sign in again: cardpresent login URL")
        case .forbidden, .noStatsPermission:
            self.init(
                .configuration, code: "forbidden", message: message,
                fix: "sign in as a user who may manage the store")
        case .siteUnreachable: self.init(.unavailable, code: "site_unreachable", message: message, fix: "try again")
        case .jetpackNotConnected:
            self.init(
                .unavailable, code: "jetpack_not_connected", message: message,
                fix: "connect the site with Jetpack again, or sign in to the site itself")
        case .noRestRoute:
            self.init(
                .unavailable, code: "not_offered", message: message,
                fix: "the plug-in for it is missing at the site, off, or too old")
        case .statsModuleDisabled:
            self.init(
                .unavailable, code: "stats_disabled", message: message, fix: "switch Jetpack's statistics on")
        case .notFound: self.init(.badData, code: "not_found", message: message)
        case .rateLimited: self.init(.tryAgain, code: "rate_limited", message: message, fix: "try again later")
        case .rejected: self.init(.badData, code: "rejected", message: message)
        case .serverFailure: self.init(.unavailable, code: "server_failed", message: message, fix: "try again later")
        }
    }
}

extension NetworkError {
    /// Whether a web page came where data should.
    fileprivate var isMarkup: Bool {
        if case .unreadable(let content) = self { content.problem.problem == .markup } else { false }
    }
}

extension CertificateProblem {
    /// What to do about it.
    fileprivate var fix: String {
        switch self {
        case .expired, .notYetValid:
            "set this machine's clock ('cardpresent doctor' looks at it), or have the site's certificate renewed"
        case .selfSigned, .unknownIssuer:
            "name the site's authority with store.authorities in the configuration, if you know who that is"
        case .wrongHost: "give the address that the certificate is for"
        case .other: "ask whoever runs the site"
        }
    }
}
