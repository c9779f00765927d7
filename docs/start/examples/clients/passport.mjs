// passport-openidconnect: npm install passport passport-openidconnect
//
// It sends no PKCE, so the application is registered for that:
//   npx cls-auth applications create --name Wiki --confidential --without-pkce --redirect-uri …
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env;
const strategy = new OpenIDConnectStrategy(
  {
    issuer: ISSUER,
    authorizationURL: `${ISSUER}/oauth/authorize`,
    tokenURL: `${ISSUER}/oauth/token`,
    userInfoURL: `${ISSUER}/oauth/userinfo`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    callbackURL: REDIRECT_URI,
    scope: ['email', 'profile'], // `openid` is added.
    skipUserProfile: false, // Asks userinfo; without it `profile` has the id alone.
  },
  (_issuer, profile, done) => done(null, profile),
);

// In an Express application: passport.use(strategy), and passport.authenticate('openidconnect') on
// the routes of sign-in and callback. Here the strategy is driven by hand, with a session of its own.
const session = {};
const authenticate = (query) =>
  new Promise((resolve, reject) => {
    Object.assign(strategy, {
      redirect: resolve,
      success: resolve,
      fail: (why) => reject(new Error(why?.message ?? 'refused')),
      error: reject,
    });
    strategy.authenticate({ query, session, headers: {} }, {});
  });

console.log(await authenticate({})); // Open it, and paste the address where the browser ends.
const [ended] = await once(createInterface(process.stdin), 'line');
const person = await authenticate(Object.fromEntries(new URL(ended).searchParams));
console.log(JSON.stringify({ person }));
process.exit();
