import ArgumentParser
import FoundationEssentials
import Glibc
import Networking
import Storage
import TillConfiguration
import Yosemite

/// `login`
struct LoginCommand: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a store.",
        discussion: """
            EXAMPLES:
              cardpresent login https://shop.example --username anna
              cardpresent login https://shop.example --username anna --password-file - < secret
              cardpresent login https://shop.example --username anna --application-password-file till.password
              cardpresent login --token-file token

            A user's password is used once, to create an application password at the site. Only the application \
            password is stored. The next 'login' and 'logout' revoke it, and no other. Its name in the user's profile \
            at the site contains the first digits of the till's identity. Passwords and tokens are never arguments: \
            enter them at the prompt, or pass them in a file or through standard input.

            The store address can be any address of the site, such as that of its wp-admin pages.
            """)

    @Argument(help: ArgumentHelp("Store address. Not with --token-file.", valueName: "url"))
    var url: String?
    @Option(help: ArgumentHelp("User name at the site.", valueName: "name"))
    var username: String?
    @Option(
        help: ArgumentHelp("Read the user's password from this file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var passwordFile: String?
    @Option(
        help: ArgumentHelp("Read an application password from this file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var applicationPasswordFile: String?
    @Option(
        help: ArgumentHelp(
            "Read a WordPress.com access token from this file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Option(
        name: .customLong("wordpress-com"),
        help: ArgumentHelp(
            "WordPress.com address, for tests. Default: $CARDPRESENT_WORDPRESS_COM, or WordPress.com.",
            valueName: "url"))
    var wordPressDotcom: String?
    @Flag(help: "Allow unencrypted HTTP to another machine. The password can be read on the network.")
    var insecureHttp = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        let sources = [passwordFile, applicationPasswordFile, tokenFile].compactMap { $0 }
        guard sources.count <= 1 else {
            throw ValidationError("use only one of --password-file, --application-password-file, and --token-file")
        }
        guard tokenFile == nil || (url == nil && username == nil) else {
            throw ValidationError("--token-file cannot be used with an address or --username")
        }
        guard tokenFile != nil || url != nil else { throw ValidationError("give the store's address or --token-file") }
    }

    func execute() async throws {
        let settings = try options.till.settings()
        let environment = try StoreEnvironment(data: options.till.data, settings: settings)
        let composition = try environment.composition(for: Self.databaseUse)
        let process = SignInProcess(
            network: composition.network, time: composition.time, random: composition.random,
            dotcom: try dotcom(), programName: try Self.programName(of: composition), allowsUnprotected: insecureHttp)
        let outcome: SignInProcess.Outcome
        let proof = try proof(process)
        do throws(SignInError) { outcome = try await process.signIn(with: proof) } catch {
            throw CommandFailure(error)
        }
        let (manager, before) = (try composition.stores(), composition.session.signIn)
        do throws(SessionError) { try await manager.authenticate(outcome.signIn) } catch {
            _ = await PasswordRevocation(outcome.signIn, composition)?.carryOut()
            throw CommandFailure(error)
        }
        // The new credentials are certainly valid, but only for their own user.
        let isSameUser = before?.isSameUser(as: outcome.signIn) == true
        _ = await PasswordRevocation(before, by: isSameUser ? outcome.signIn : nil, composition)?.carryOut()
        // Store the site's data, so that commands know its name and time zone offline.
        for failure in await manager.synchronizeEntities() {
            StandardError.write("cardpresent: could not sync all site data: \(failure)\n")
        }
        try tell(outcome, settings)
    }

    private func tell(_ outcome: SignInProcess.Outcome, _ settings: TillConfiguration) throws(CommandFailure) {
        let sites = outcome.sites.map { ListedSite(store: $0, selected: outcome.signIn.siteID) }
        for failure in outcome.rejected { StandardError.write("cardpresent: skipped a site: \(failure)\n") }
        let username = outcome.signIn.credentials.username
        let json: JSONObject = [
            // The credentials are in a file or the keyring. Rejected sites could not be decoded.
            "username": username, "credentials": settings.store.credentials.rawValue, "sites": sites.json,
            "rejected": outcome.rejected.map(\.description),
        ]
        try output.write(json, text: "signed in as \(username)\n" + sites.text)
        guard !output.json, outcome.signIn.siteID == nil else { return }
        StandardError.write(
            sites.contains(where: \.store.hasWooCommerce)
                ? "Choose a store with 'cardpresent sites use ID'.\n" : "None of these sites has WooCommerce.\n")
    }

    private func proof(_ process: SignInProcess) throws(CommandFailure) -> SignInProcess.Proof {
        if let tokenFile { return .token(try SecretInput.read(tokenFile)) }
        let site = try address(url ?? "")
        // Check the address before asking for a password.
        do throws(SignInError) { try process.check(site) } catch { throw CommandFailure(error) }
        guard let username, !username.isEmpty else {
            throw CommandFailure(.usage, code: "no_username", message: "no user name", fix: "give --username NAME")
        }
        if let applicationPasswordFile {
            return .applicationPassword(
                try SecretInput.read(applicationPasswordFile), username: username, site: site)
        }
        let password =
            if let passwordFile {
                try SecretInput.read(passwordFile)
            } else {
                try SecretInput.ask("Password of \(username) (not shown): ", orGive: "--password-file")
            }
        return .password(password, username: username, site: site)
    }

    private func dotcom() throws(CommandFailure) -> WebAddress {
        let stand = wordPressDotcom ?? ProcessInfo.processInfo.environment["CARDPRESENT_WORDPRESS_COM"]
        return if let stand { try address(stand) } else { .wordPressDotcom }
    }

    private func address(_ text: String) throws(CommandFailure) -> WebAddress {
        do throws(WebAddressError) {
            // A site address has no query.
            let address = try WebAddress(text).siteRoot
            guard address.query == nil else { throw .forbiddenCharacter(text) }
            return address
        } catch {
            throw CommandFailure(.usage, code: "invalid_address", splitting: error.description)
        }
    }

    /// Returns the name of the application password, which identifies this till at the site: the user and the machine,
    /// and the identity of the database, because a machine can have several tills, and machines can have one name.
    ///
    /// - Throws: `CommandFailure`
    private static func programName(of composition: StoreComposition) throws(CommandFailure) -> String {
        let identity: String
        do throws(StorageError) { identity = try composition.storage.databaseID() } catch {
            throw CommandFailure(error)
        }

        var name = [CChar](repeating: 0, count: 256)
        let host =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        let place = host.isEmpty ? "this machine" : host
        return "CardPresent \(identity.prefix(8)) (user \(getuid()) at \(place))"
    }
}
