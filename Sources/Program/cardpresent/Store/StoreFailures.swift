import Files
import Networking
import Yosemite

extension CommandFailure {
    static let notSignedIn = CommandFailure(
        .configuration, code: "not_signed_in", message: "not signed in to a store",
        fix: "run 'cardpresent login URL'")

    /// Creates the failure of a session that the store ended.
    init(refused error: ServiceError) {
        self.init(
            .configuration, code: "signed_out",
            message: "the store no longer accepts the credentials, and you have been signed out: \(error)",
            fix: "run 'cardpresent login URL' to sign in again")
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
                fix: "edit or delete the order at the store; do not create it again")
        case .giftCard:
            self.init(.badData, code: "gift_card_refused", message: error.description, fix: "nothing was changed")
        case .orderLeft(let orderID, _):
            self.init(
                .badData, code: "order_left", message: error.description,
                fix: "delete order \(orderID) at the store")
        case .canceled: self.init(.canceled, code: "cancelled", message: error.description)
        case .notSignedIn: self = .notSignedIn
        case .statistics(let error): self.init(error)
        }
    }

    init(_ error: SiteStatsStoreError) {
        let (status, code, fix): (ExitStatus, String, String?) =
            switch error {
            case .statsModuleDisabled: (.unavailable, "stats_disabled", "enable Jetpack Stats")
            case .noPermission: (.configuration, "forbidden", "sign in as a user who can manage the store")
            case .jetpackNotConnected: (.unavailable, "jetpack_not_connected", "reconnect the site to Jetpack")
            case .analyticsDisabled:
                (
                    .unavailable, "analytics_disabled",
                    "run 'cardpresent settings set analytics yes'; requires WooCommerce 4.0"
                )
            case .emptyRange: (.usage, "empty_range", nil)
            }
        self.init(status, code: code, message: error.description, fix: fix)
    }

    init(_ error: FileStorageError) {
        let text = error.description
        switch error {
        case .busy: self.init(.tryAgain, code: "settings_busy", splitting: text)
        case .system: self.init(.unavailable, code: "settings_unavailable", splitting: text)
        case .notARegularFile, .openToOthers, .belongsToAnother, .tooLong, .malformed, .newerVersion:
            self.init(.configuration, code: "settings_unusable", splitting: text)
        }
    }

    init(_ error: SignInStorageError) {
        self.init(.configuration, code: "credentials", splitting: error.description)
    }

    init(_ error: SessionError) {
        switch error {
        case .stores(let error): self.init(.internalError, code: "internal", message: error.description)
        case .notForgotten(let error):
            self.init(error)
            message = "the store's data could not be deleted: " + message
            fix = "run 'cardpresent logout' again"
        case .notKept(let error): self.init(error)
        }
    }

    init(_ error: SignInError) {
        let message = error.description
        switch error {
        case .unprotected(let address):
            self.init(
                .usage, code: "unprotected", message: message,
                fix: "use an https:// address, or --insecure-http in a trusted network: " + address.withoutQuery)
        case .refused:
            self.init(
                .configuration, code: "refused", message: message,
                fix: "check the user name and password; if the site requires two-factor authentication, create an "
                    + "application password in your profile there and use --application-password-file")
        case .notWordPress(let address, let cause):
            self.init(
                .badData, code: "not_wordpress", message: message,
                fix: "use the address of WordPress including its folder, such as \(address.origin)/shop/"
                    + (cause.isMarkup ? "; a firewall or login page in front of it must allow /?rest_route=" : ""))
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
                .unavailable, code: "unreachable", message: message, fix: "check the address and the network connection"
            )
        case .untrustedServer(_, let problem):
            self.init(.unavailable, code: "untrusted_server", message: message, fix: problem.fix)
        case .timedOut: self.init(.unavailable, code: "timeout", message: message, fix: "try again")
        case .connectionLost: self.init(.unavailable, code: "connection_lost", message: message, fix: "try again")
        case .canceled: self.init(.canceled, code: "cancelled", message: message)
        case .responseTooLarge: self.init(.badData, code: "answer_too_large", message: message)
        case .redirectRefused(_, let target):
            self.init(
                .unavailable, code: "redirected", message: message,
                fix: "if \(target) is the same site, sign in with that address")
        case .service(let error): self.init(error)
        case .unreadable: self.init(.badData, code: "unreadable_answer", message: message)
        case .undecodable: self.init(.badData, code: "unexpected_answer", message: message)
        case .missingCredentials, .signInFailed:
            self.init(.configuration, code: "not_signed_in", message: message, fix: "run 'cardpresent login URL'")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown, code: "outcome_unknown", message: message,
                fix: "check the store before you retry")
        }
    }

    init(_ error: ServiceError) {
        let (status, code, fix): (ExitStatus, String, String?) =
            switch error.kind {
            case .unauthorized, .invalidToken:
                (.configuration, "refused", "run 'cardpresent login URL' to sign in again")
            case .forbidden, .noStatsPermission:
                (.configuration, "forbidden", "sign in as a user who can manage the store")
            case .siteUnreachable: (.unavailable, "site_unreachable", "try again")
            case .jetpackNotConnected:
                (
                    .unavailable, "jetpack_not_connected",
                    "reconnect the site to Jetpack, or sign in to the site directly"
                )
            case .noRestRoute:
                (.unavailable, "not_offered", "install, activate, or update the plug-in at the site")
            case .statsModuleDisabled: (.unavailable, "stats_disabled", "enable Jetpack Stats")
            case .notFound: (.badData, "not_found", nil)
            case .rateLimited: (.tryAgain, "rate_limited", "try again later")
            case .rejected: (.badData, "rejected", nil)
            case .serverFailure: (.unavailable, "server_failed", "try again later")
            }
        self.init(status, code: code, message: error.description, fix: fix)
    }
}

extension NetworkError {
    /// Whether the response is a web page instead of data.
    fileprivate var isMarkup: Bool {
        if case .unreadable(let content) = self { content.problem.problem == .markup } else { false }
    }
}

extension CertificateProblem {
    /// How to fix the problem.
    fileprivate var fix: String {
        switch self {
        case .expired, .notYetValid:
            "check this machine's clock with 'cardpresent doctor', or have the site's certificate renewed"
        case .selfSigned, .unknownIssuer:
            "if you trust the site's certificate authority, add it to store.authorities in the configuration"
        case .wrongHost: "use the address in the certificate"
        case .other: "contact the site's administrator"
        }
    }
}
