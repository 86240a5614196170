public import Determinism
public import Fleet
import HTTPInterface
public import Monitoring
import Synchronization
import Text

/// The back office for clients with tokens, without a socket. Each request takes the role of its token's login, so that
/// the server of the database decides what it sees and changes.
public final class FleetService: Sendable {
    /// The longest settlement, in bytes.
    static let longestSettlement = 4 << 20
    /// The longest JSON body, in bytes.
    static let longestBody = 1 << 16

    let time: any TimeSource
    private let random: any RandomSource
    /// The connections, which take turns.
    private let offices: [BackOffice]
    private let numbers = Mutex((office: 0, request: 0))
    private let log: (@Sendable (LogLine) -> Void)?

    /// - Parameters:
    ///   - offices: connections to one database, one or more, with a login that has the office `server`.
    ///   - time: the server's clock.
    ///   - random: makes the tokens of lanes.
    ///   - log: receives a line for each request.
    public init(
        _ offices: [BackOffice], time: any TimeSource, random: any RandomSource,
        log: (@Sendable (LogLine) -> Void)? = nil
    ) {
        (self.offices, self.time, self.random, self.log) = (offices, time, random, log)
    }

    /// Closes the connections.
    public func close() async {
        for office in offices { await office.close() }
    }

    func newToken() -> String { random.bytes(24).lowercaseHexadecimal }

    /// - Throws: ``APIError`` when the database does not answer.
    func checkReadiness() async throws(APIError) {
        let office = try nextOffice()
        do throws(FleetError) { _ = try await office.verdict(on: try OfficeToken("")) } catch { throw failure(error) }
    }

    private func nextOffice() throws(APIError) -> BackOffice {
        guard !offices.isEmpty else { throw APIError(FleetError.notSetUp) }
        return numbers.withLock { numbers in
            numbers.office = (numbers.office + 1) % offices.count
            return offices[numbers.office]
        }
    }

    // MARK: Requests

    /// Responds to a request.
    func answer(_ request: APIRequest) async -> APIAnswer {
        let start = time.reading()
        let place = APIPlace(of: request, in: FleetRoute.table)
        var answer: APIAnswer
        do throws(APIError) {
            try request.checkOrigin()
            answer = try await carryOut(request, at: place)
        } catch {
            answer = .failure(error)
            if error.status == 503 { answer = answer.with("Retry-After", "1") }
        }
        if place.route?.needsToken == true, !answer.headers.contains(where: { $0.name == "Cache-Control" }) {
            answer = answer.with("Cache-Control", "no-store")
        }
        return note(request, place.route, answer, since: start)
    }

    private func carryOut(
        _ request: APIRequest, at place: APIPlace<FleetRoute>
    ) async throws(APIError) -> APIAnswer {
        // Who has no token does not learn which paths there are.
        var (login, office) = ("", try nextOffice())
        if place.route?.needsToken ?? request.path.hasPrefix("/v1") {
            login = try await self.login(of: request, office)
            office = office.acting(as: login, isReadOnly: place.found?.route.isReadOnly ?? true)
        }
        let (route, values) = try place.target()
        // A report of all shops in place of one whose name was mistyped would look right.
        if route.needsToken { try request.checkQuery(route.query) }
        guard route.textBody != nil || request.body.count <= Self.longestBody else {
            throw APIError(413, "body_too_large", "this body has at most \(Self.longestBody) bytes")
        }
        let body = try route.readBody(of: request, in: FleetDocument.shapes)
        if route.body != nil { try FleetRequests.checkMembers(request.body, of: body) }
        return try await route.act(
            FleetCall(
                service: self, request: request, values: values, body: body, login: login, office: office,
                isReadOnly: route.isReadOnly))
    }

    /// The login whose token a request has.
    private func login(of request: APIRequest, _ office: BackOffice) async throws(APIError) -> String {
        func refused(_ code: String, _ message: String, fix: String? = nil) -> APIError {
            APIError(
                401, code, message, fix: fix ?? "the owner of the database runs 'cardpresent fleet token make LOGIN'")
        }
        guard let text = request.bearerToken, !text.isEmpty else {
            throw refused("no_token", "a token is required as 'Authorization: Bearer TOKEN'")
        }
        let verdict: TokenVerdict
        do throws(FleetError) { verdict = try await office.verdict(on: try OfficeToken(text)) } catch {
            // The server's own login is at fault, and not the person.
            guard error != .notAllowed else {
                note(error)
                throw APIError(
                    503, "server_not_allowed", "the server of the back office may not read tokens",
                    fix: "the owner of the database runs 'cardpresent fleet grant LOGIN --as server'")
            }
            throw failure(error)
        }
        switch verdict {
        case .login(let login): return login
        case .unknown: throw refused("unknown_token", "the back office does not know this token")
        case .expired: throw refused("expired_token", "the time of this token is over")
        case .revoked: throw refused("revoked_token", "this token was revoked")
        case .tooMighty:
            let error = FleetError.loginTooMighty
            throw refused(error.code, error.description, fix: error.fix)
        }
    }

    /// Returns the response for a failure of the back office. What is wrong with the database is not for people, so the
    /// log has it.
    func failure(_ error: FleetError, isReadOnly: Bool = true) -> APIError {
        let answer = APIError(error, isReadOnly: isReadOnly)
        if answer.status >= 500, error != .canceled { note(error) }
        return answer
    }

    /// Logs what is wrong with the database. The text has no values of rows and parameters.
    private func note(_ error: FleetError) {
        log?(
            LogLine(
                "office_failed", .error, at: time.now(),
                [("code", .word(error.code)), ("cause", .word(error.description))]))
    }

    /// Logs a request, and gives the response its number.
    func note(_ request: APIRequest, _ route: FleetRoute?, _ answer: APIAnswer, since start: Duration) -> APIAnswer {
        let number = numbers.withLock { numbers in
            numbers.request += 1
            return numbers.request
        }
        let level: LogLevel = answer.status >= 500 ? .error : answer.status >= 400 ? .warning : .info
        let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
        log?(
            LogLine(
                "request", level, at: time.now(),
                [
                    ("id", .word("r\(number)")),
                    ("method", .word(known.contains(request.method) ? request.method : "other")),
                    ("route", .word(route?.path ?? "none")), ("status", .number(Int64(answer.status))),
                    ("milliseconds", .time(time.elapsed(since: start))),
                ]))
        return answer.with("X-Request-Id", "r\(number)")
    }
}
