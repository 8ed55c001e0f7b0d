(function () {
  if (typeof firebase === 'undefined') {
    throw new Error('hosting/init-error: the Firebase SDK must be loaded before /__/firebase/init.js');
  }
  firebase.initializeApp(firebaseConfig);
  var has = function (name) { return typeof firebase[name] === 'function'; };
  if (firebaseOrigin) {
    var secure = firebaseOrigin.indexOf('https:') === 0;
    if (has('firestore')) firebase.firestore().settings({ host: firebaseOrigin.replace(/^https?:\/\//, ''), ssl: secure, merge: true });
    if (has('auth')) firebase.auth().useEmulator(firebaseOrigin, { disableWarnings: true });
  } else if (firebaseEmulators) {
    var firestore = firebaseEmulators.firestore, auth = firebaseEmulators.auth;
    if (firestore && has('firestore')) firebase.firestore().useEmulator(firestore.host, firestore.port);
    if (auth && has('auth')) firebase.auth().useEmulator('http://' + auth.hostAndPort);
    console.log('Firebase SDKs use the emulators: ' + JSON.stringify(firebaseEmulators));
  } else {
    console.log('Firebase SDKs use Firebase itself; /__/firebase/init.js?useEmulator=true leads them to the emulators');
  }
})();
