import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints the outstanding principal of each facility as CSV, with a header row. */
public class Balances {
  private static final String BASE = System.getenv("BASE");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  public static void main(String[] args) throws IOException, InterruptedException {
    String fields = "deal.dealNumber,global.principal.outstanding";
    HttpRequest export =
        HttpRequest.newBuilder(URI.create(BASE + "/api/v1/cls/balances?fields=" + fields))
            .header("Authorization", "Bearer " + token())
            .header("Accept", "text/csv")
            .build();
    HttpResponse<Stream<String>> answer = send(export);
    answer.body().forEach(System.out::println);
    if (answer.statusCode() != 200) System.exit(1);
  }

  /** Sends a request again where that helps, after Retry-After. */
  private static HttpResponse<Stream<String>> send(HttpRequest request)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      HttpResponse<Stream<String>> answer = HTTP.send(request, BodyHandlers.ofLines());
      boolean again = answer.statusCode() == 429 || answer.statusCode() == 503;
      if (!again || attempt == 4) return answer;
      answer.body().close();
      long seconds = answer.headers().firstValueAsLong("Retry-After").orElse(1L << attempt);
      Thread.sleep(Duration.ofSeconds(seconds).toMillis());
    }
  }

  /** Keep it for `expires_in` seconds where a program sends more than one request. */
  private static String token() throws IOException, InterruptedException {
    String secret = System.getenv("ID") + ":" + System.getenv("SECRET");
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(BASE + "/oauth/token"))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("grant_type=client_credentials"))
            .build();
    HttpResponse<Stream<String>> answer = send(request);
    String text = answer.body().collect(Collectors.joining());
    var found = Pattern.compile("\"access_token\":\"([^\"]+)\"").matcher(text);
    if (answer.statusCode() != 200 || !found.find()) throw new IOException(text);
    return found.group(1);
  }
}
