internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Hardware
internal import Networking
internal import Yosemite

/// `login`
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Signs in to a store, and keeps what is needed to stay signed in.",
        discussion: """
            With a user's password the program has the site make an application password for it, keeps that alone, and \
            takes it back with 'cardpresent logout'. Passwords and tokens never stand among the arguments: they are \
            typed and not shown, or come from a file or standard input.

            EXAMPLES:
              cardpresent login https://shop.example --username anna
              cardpresent login https://shop.example --username anna --password-file - < secret
              cardpresent login https://shop.example --username anna --application-password-file till.password
              cardpresent login --token-file token
            """)

    @Argument(help: ArgumentHelp("The store's address. Not with --token-file.", valueName: "url"))
    var url: String?
    @Option(help: ArgumentHelp("The user's name at the site.", valueName: "name"))
    var username: String?
    @Option(
        help: ArgumentHelp("Reads the user's password from this file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var passwordFile: String?
    @Option(
        help: ArgumentHelp(
            "Reads a password that the site made for programs from this file; '-' is standard input.",
            valueName: "file"),
        completion: .file())
    var applicationPasswordFile: String?
    @Option(
        help: ArgumentHelp(
            "Reads the token of a WordPress.com account from this file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Option(
        name: .customLong("wordpress-com"),
        help: ArgumentHelp(
            "Asks this instead of WordPress.com, for tests. Default: $CARDPRESENT_WORDPRESS_COM, or WordPress.com.",
            valueName: "url"))
    var wordPressDotcom: String?
    @Flag(help: "Let the password go unencrypted to another machine. Everybody on the way can read it.")
    var insecureHttp = false
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let sources = [passwordFile, applicationPasswordFile, tokenFile].compactMap { $0 }
        guard sources.count <= 1 else {
            throw ValidationError("--password-file, --application-password-file and --token-file exclude each other")
        }
        guard tokenFile == nil || (url == nil && username == nil) else {
            throw ValidationError("--token-file goes without an address and without --username")
        }
        guard tokenFile != nil || url != nil else { throw ValidationError("give the store's address, or --token-file") }
    }

    func run() async throws {
        try await output.reporting {
            let settings = try configurationOptions.load()
            let door = try ShopDoor(data: data, settings: settings)
            let composition = try door.composition()
            let process = SignInProcess(
                network: composition.network, time: composition.time, random: composition.random,
                dotcom: try dotcom(), programName: Self.programName(), allowsUnprotected: insecureHttp)
            let outcome: SignInProcess.Outcome
            let proof = try proof(process)
            do throws(SignInError) { outcome = try await process.signIn(with: proof) } catch {
                throw CommandFailure(error)
            }
            let manager = try composition.stores()
            do throws(SessionError) { try await manager.authenticate(outcome.signIn) } catch {
                throw CommandFailure(error)
            }
            // What was found is kept, so that commands know the store's name and time zone without asking.
            for failure in await manager.synchronizeEntities() {
                StandardError.write("cardpresent: not everything could be fetched: \(failure)\n")
            }
            try tell(outcome, settings)
        }
    }

    private func tell(_ outcome: SignInProcess.Outcome, _ settings: TillConfiguration) throws(CommandFailure) {
        let sites = outcome.sites.map { SiteView($0, selected: outcome.signIn.siteID) }
        for failure in outcome.rejected { StandardError.write("cardpresent: a site cannot be read: \(failure)\n") }
        let username = outcome.signIn.credentials.username
        guard !output.json else {
            return try StandardOutput.write(
                json: LoginView(
                    username: username, credentials: settings.store.credentials.rawValue, sites: sites,
                    rejected: outcome.rejected.map(\.description)))
        }
        try StandardOutput.write("signed in as \(username)\n" + sites.map(\.line).joined())
        guard outcome.signIn.siteID == nil else { return }
        StandardError.write(
            sites.contains(where: \.wooCommerce)
                ? "Choose a store: cardpresent sites use ID\n" : "None of these sites has WooCommerce.\n")
    }

    private func proof(_ process: SignInProcess) throws(CommandFailure) -> SignInProcess.Proof {
        if let tokenFile { return .token(try SecretInput.read(tokenFile)) }
        let site = try address(url ?? "")
        // Before anybody types a password that is not to be sent.
        do throws(SignInError) { try process.check(site) } catch { throw CommandFailure(error) }
        guard let username, !username.isEmpty else {
            throw CommandFailure(.usage, code: "no_username", message: "no user is named", fix: "give --username NAME")
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
            // A question mark begins what is asked of a site, and is no part of where it is.
            let address = try WebAddress(text)
            guard address.query == nil else { throw .forbiddenCharacter(text) }
            return address
        } catch {
            let (message, fix) = error.description.splitAtFix
            throw CommandFailure(.usage, code: "invalid_address", message: message, fix: fix)
        }
    }

    /// By which the owner of a site tells the passwords of several tills apart.
    private static func programName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        let host =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        return "CardPresent (user \(getuid()) at \(host.isEmpty ? "this machine" : host))"
    }
}
